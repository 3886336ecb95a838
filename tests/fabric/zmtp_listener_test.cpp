#include "curve_cipher.hpp"
#include "keyed_nodes.hpp"
#include "temporary_folder.hpp"

#include "fabric/reactor.hpp"
#include "fabric/zmtp_listener.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <mutex>
#include <numeric>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace copse::fabric {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostOfMessage = 64 << 10;

bool soon(const std::function<bool()> &isSo, std::chrono::milliseconds timeout = 20s) {
  for (const auto end = Clock::now() + timeout; !isSo();) {
    if (Clock::now() >= end)
      return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

/// A listener on a reactor, which sends every message back to its sender.
class Server {
public:
  explicit Server(const Endpoint &at, std::shared_ptr<const Keyring> keys = {},
                  std::vector<Role> roles = {}) {
    reactor_.call([&] {
      listener_ = std::make_unique<ZmtpListener>(
          StreamLoop{reactor_.io(), [this](auto work) { reactor_.post(std::move(work)); }},
          ZmtpListener::Options{
              std::move(keys), std::move(roles), "ROUTER", {"DEALER"}, kMostOfMessage, refusals_});
      auto bound = listener_->bind(at);
      EXPECT_TRUE(bound.ok()) << bound.status().message;
      endpoint_ = *bound;
      listener_->watch(
          [this](std::unique_ptr<ZmtpSocket> peer, const std::string &) { add(std::move(peer)); });
    });
  }
  ~Server() {
    reactor_.call([this] {
      peers_.clear();
      listener_.reset();
    });
  }
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;

  const Endpoint &endpoint() const { return endpoint_; }
  std::uint64_t refused() const { return refusals_->total(); }
  std::uint64_t messages() const { return messages_; }
  std::uint64_t ended() const { return ended_; }
  std::size_t peers() {
    return reactor_.call([this] { return peers_.size(); });
  }
  std::string lastName() {
    return reactor_.call([this] { return lastName_; });
  }
  void limit(std::uint64_t bytes) {
    reactor_.call([&] {
      for (const auto &[key, peer] : peers_)
        peer->limit(bytes);
    });
  }

private:
  void add(std::unique_ptr<ZmtpSocket> peer) {
    ZmtpSocket *const key = peer.get();
    lastName_ = peer->name();
    peers_[key] = std::move(peer);
    key->watch({[this, key](Frames frames) {
                  ++messages_;
                  (void)key->send(frames);
                },
                [] {},
                [this, key](const wire::Status &why) {
                  if (why.code == wire::Code::BadFrame)
                    ++ended_;
                  peers_.erase(key);
                }});
  }

  std::shared_ptr<Refusals> refusals_ = std::make_shared<Refusals>();
  std::atomic<std::uint64_t> messages_{0}, ended_{0};
  std::unique_ptr<ZmtpListener> listener_;
  std::map<ZmtpSocket *, std::unique_ptr<ZmtpSocket>> peers_;
  std::string lastName_;
  Endpoint endpoint_;
  Reactor reactor_{"server"};
};

std::vector<std::string> exchange(zmq::socket_t &socket, const std::vector<std::string> &frames) {
  for (std::size_t i = 0; i < frames.size(); ++i)
    socket.send(zmq::buffer(frames[i]),
                i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  std::vector<std::string> back;
  zmq::message_t frame;
  do {
    if (!socket.recv(frame))
      return {};
    back.push_back(frame.to_string());
  } while (frame.more());
  return back;
}

class ZmtpListenerTest : public ::testing::Test, protected test::KeyedNodes {
protected:
  zmq::socket_t dial(const Endpoint &to, const Keyring *keys = nullptr,
                     std::chrono::milliseconds timeout = 20s) {
    zmq::socket_t socket(context_, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::rcvtimeo, static_cast<int>(timeout.count()));
    if (keys != nullptr) {
      EXPECT_TRUE(keys->connect(socket, "ipu-2").ok());
    }
    socket.connect(to.text());
    return socket;
  }
  /// Opens a plain connection and sends \p bytes.
  static int say(const Endpoint &to, const std::string &bytes) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(to.port());
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
    (void)::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return socket;
  }
  static std::string greeting(const std::string &mechanism) {
    std::string bytes(64, '\0');
    bytes[0] = '\xFF';
    bytes[9] = '\x7F';
    bytes[10] = 3;
    bytes.replace(12, mechanism.size(), mechanism);
    return bytes;
  }
  /// Returns the header of a frame of so many bytes.
  static std::string frame(char flags, std::uint64_t bytes) {
    std::string header(1, static_cast<char>(flags | 2));
    for (int shift = 56; shift >= 0; shift -= 8)
      header += static_cast<char>(bytes >> shift & 0xFF);
    return header;
  }
  std::shared_ptr<const Keyring> keysOf(const std::string &name) { return parties_[name].keys; }

  zmq::context_t context_;
};

/// Sizes around those at which frames get longer headers, or no longer fit into a buffer.
const std::vector<std::size_t> kDeclaredSizes{0,    1,    33,   34,    200,   220,   255,   256,
                                              8000, 8192, 8193, 16383, 16384, 16400, 60'000};

TEST_F(ZmtpListenerTest, CarriesMessagesOfEverySizeWithAndWithoutKeys) {
  copse::test::TemporaryFolder folder;
  for (const Endpoint &at : {Endpoint(), Endpoint::ipc(folder.file("socket"))})
    for (const bool keyed : {false, true}) {
      Server server(at, keyed ? keysOf("ipu-2") : nullptr, {Role::Host});
      zmq::socket_t socket = dial(server.endpoint(), keyed ? keysOf("host").get() : nullptr);
      for (const std::size_t size : kDeclaredSizes) {
        std::string bytes(size, '\0');
        std::iota(bytes.begin(), bytes.end(), '\1');
        EXPECT_EQ(exchange(socket, {bytes}), std::vector<std::string>{bytes}) << size;
        const std::vector<std::string> parts{"head", bytes.substr(0, size / 2), "", "tail"};
        EXPECT_EQ(exchange(socket, parts), parts) << size;
      }
      EXPECT_EQ(server.lastName(), keyed ? "host" : "");
      EXPECT_EQ(server.refused(), 0U);
    }
}

TEST_F(ZmtpListenerTest, CarriesLargeMessagesToPeersThatMaySendThem) {
  for (const bool keyed : {false, true}) {
    Server server({}, keyed ? keysOf("ipu-2") : nullptr, {Role::Host});
    zmq::socket_t socket = dial(server.endpoint(), keyed ? keysOf("host").get() : nullptr);
    ASSERT_EQ(exchange(socket, {"hello"}).size(), 1U);
    server.limit(std::uint64_t{1} << 30);
    std::string bytes(8'000'000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<char>(i * 7 + (i >> 12));
    const std::vector<std::string> parts{"head", bytes, bytes.substr(1'000'000)};
    EXPECT_TRUE(exchange(socket, parts) == parts);
  }
}

TEST_F(ZmtpListenerTest, DisconnectsPeersThatExceedTheirLimit) {
  Server server({});
  for (const std::vector<std::string> &parts :
       {std::vector<std::string>{std::string(kMostOfMessage + 1, 'x')},
        {std::string(kMostOfMessage / 2, 'x'), std::string(kMostOfMessage / 2 + 1, 'x')},
        std::vector<std::string>(2'000, "")}) {
    const auto before = server.ended();
    zmq::socket_t socket = dial(server.endpoint(), nullptr, 1s);
    EXPECT_TRUE(exchange(socket, parts).empty());
    EXPECT_TRUE(soon([&] { return server.ended() > before; }));
  }
  zmq::socket_t socket = dial(server.endpoint());
  EXPECT_EQ(exchange(socket, {"still there"}).size(), 1U);
}

TEST_F(ZmtpListenerTest, AcceptsPeersOfItsRolesOnly) {
  const auto answers = [&](const std::string &name, std::vector<Role> roles,
                           std::chrono::milliseconds timeout) {
    Server server({}, keysOf("ipu-2"), std::move(roles));
    zmq::socket_t socket = dial(server.endpoint(), keysOf(name).get(), timeout);
    const bool answered = !exchange(socket, {name}).empty();
    EXPECT_TRUE(answered || server.refused() > 0) << name;
    return answered;
  };
  for (const char *name : {"host", "ipu-1"})
    EXPECT_TRUE(answers(name, {Role::Host, Role::Ipu}, 20s)) << name;
  EXPECT_TRUE(answers("ipu-2", {Role::Host}, 20s)) << "a node may speak to itself";
  for (const char *name : {"rbufd", "stranger"})
    EXPECT_FALSE(answers(name, {Role::Host, Role::Ipu}, 500ms)) << name;
  EXPECT_FALSE(answers("ipu-1", {Role::Host}, 500ms));
  EXPECT_FALSE(answers("host", {Role::Ipu, Role::Rbufd}, 500ms));
}

/// The bytes are what unauthenticated peers send to a listener with keys, and to one without.
TEST_F(ZmtpListenerTest, RefusesAndCountsEveryKindOfUnauthenticatedPeer) {
  const std::string hello = std::string("\4\xC8\5HELLO\1\0", 10) + std::string(192, 'x');
  for (const bool keyed : {false, true}) {
    Server server({}, keyed ? keysOf("ipu-2") : nullptr, {Role::Host});
    zmq::socket_t peer = dial(server.endpoint(), keyed ? keysOf("host").get() : nullptr);
    ASSERT_EQ(exchange(peer, {"first"}).size(), 1U);
    const std::string own = keyed ? "CURVE" : "NULL", other = keyed ? "NULL" : "CURVE";
    std::uint64_t expected = 0;
    for (const std::string &words :
         {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100, '\0'), std::string(100'000, 'x'),
          greeting(other), greeting("PLAIN"), greeting("GSSAPI"), "\xFF" + std::string(63, '\0'),
          greeting(own) + frame(4, std::uint64_t{1} << 30),
          greeting(own) + frame(4, ~std::uint64_t{0}), greeting(own) + frame(0, 4'000'000'000),
          greeting(own) + std::string("\0\5hello", 7), greeting(own) + hello,
          greeting(own) + std::string("\4\6\5READY", 8),
          greeting(own) + std::string("\x84\1x", 3)}) {
      const int socket = say(server.endpoint(), words);
      ++expected;
      EXPECT_TRUE(soon([&] { return server.refused() >= expected; }))
          << own << ": " << expected << " " << words.substr(0, 20);
      ::close(socket);
    }
    EXPECT_EQ(server.refused(), expected);
    EXPECT_EQ(server.messages(), 1U);
    EXPECT_EQ(exchange(peer, {"second"}).size(), 1U);
  }
}

TEST_F(ZmtpListenerTest, DisconnectsSlowHandshakes) {
  Server server({}, keysOf("ipu-2"), {Role::Host});
  std::vector<int> sockets{say(server.endpoint(), ""), say(server.endpoint(), "\xFF"),
                           say(server.endpoint(), greeting("CURVE"))};
  for (const char byte : greeting("CURVE")) { // and one that says a byte now and then
    if (sockets.size() == 3)
      sockets.push_back(say(server.endpoint(), ""));
    (void)::send(sockets.back(), &byte, 1, MSG_NOSIGNAL);
    std::this_thread::sleep_for(60ms);
  }
  EXPECT_TRUE(soon([&] { return server.refused() == sockets.size(); })) << server.refused();
  for (const int socket : sockets)
    ::close(socket);
}

TEST_F(ZmtpListenerTest, LimitsHandshakesAndServesPeersMeanwhile) {
  Server server({}, keysOf("ipu-2"), {Role::Host});
  zmq::socket_t peer = dial(server.endpoint(), keysOf("host").get());
  ASSERT_EQ(exchange(peer, {"first"}).size(), 1U);
  std::vector<int> sockets;
  for (int i = 0; i < 300; ++i)
    sockets.push_back(say(server.endpoint(), greeting("CURVE")));
  EXPECT_TRUE(soon([&] { return server.refused() >= 300 - ZmtpListener::kMostPending; }));
  EXPECT_EQ(exchange(peer, {"second"}).size(), 1U);
  for (const int socket : sockets)
    ::close(socket);
}

TEST_F(ZmtpListenerTest, ContinuesSendingWhenAPeerReadsAgain) {
  Server server({});
  zmq::socket_t socket = dial(server.endpoint());
  ASSERT_EQ(exchange(socket, {"hello"}).size(), 1U);
  server.limit(std::uint64_t{1} << 30);
  const std::string bytes(1'000'000, 'x');
  constexpr int kMessages = 40;
  for (int i = 0; i < kMessages; ++i)
    socket.send(zmq::buffer(bytes), zmq::send_flags::none);
  std::this_thread::sleep_for(100ms);
  for (int i = 0; i < kMessages; ++i) {
    zmq::message_t back;
    ASSERT_TRUE(socket.recv(back)) << i;
    EXPECT_EQ(back.size(), bytes.size());
  }
}

TEST(CurveCipher, OpensOnlyBytesSealedWithTheSameKeyAndNonce) {
  const curve::FreshPair a, b;
  const auto key = curve::SharedKey::of(b.publicKey, a.secretKey);
  const auto same = curve::SharedKey::of(a.publicKey, b.secretKey);
  ASSERT_TRUE(key && same);
  const std::string prefix = "CurveZMQMESSAGEC";
  std::vector<std::byte> record(100);
  for (std::size_t i = curve::kTagBytes; i < record.size(); ++i)
    record[i] = static_cast<std::byte>(i);
  const auto plain = record;
  key->sealInPlace(record, prefix, 7);
  auto copy = record;
  ASSERT_TRUE(same->openInPlace(copy, prefix, 7));
  EXPECT_TRUE(
      std::equal(copy.begin() + curve::kTagBytes, copy.end(), plain.begin() + curve::kTagBytes));
  copy = record;
  EXPECT_FALSE(same->openInPlace(copy, prefix, 8));
  for (std::size_t i = 0; i < record.size(); ++i) {
    copy = record;
    copy[i] ^= std::byte{1};
    EXPECT_FALSE(same->openInPlace(copy, prefix, 7)) << i;
  }
}

} // namespace
} // namespace copse::fabric
