#include "ring_handshake.hpp"
#include "temporary_folder.hpp"

#include "fabric/ring_socket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace copse::fabric {
namespace {

using namespace std::chrono_literals;
using wire::Code;
using wire::Status;

Frames ringMessage(const std::vector<std::string> &frames) {
  Frames message;
  for (const std::string &frame : frames)
    message.emplace_back(frame.data(), frame.size());
  return message;
}

std::vector<std::string> framesOf(const Frames &message) {
  std::vector<std::string> frames;
  for (const auto &frame : message)
    frames.push_back(frame.to_string());
  return frames;
}

/// One process's end, which stores the messages that arrive.
class RingPeer {
public:
  explicit RingPeer(std::string path) : path_(std::move(path)), reactor_("test") {}
  ~RingPeer() {
    reactor_.call([this] {
      socket_.reset();
      listener_.reset();
    });
  }
  void listen() {
    reactor_.call([this] {
      listener_ = RingListener::bind(reactor_, path_);
      ASSERT_TRUE(listener_);
      listener_->watch([this](std::unique_ptr<RingSocket> socket) { take(std::move(socket)); },
                       [this](const std::string &) {
                         const std::lock_guard lock(mutex_);
                         ++refused_;
                       });
    });
  }
  bool dial() {
    return reactor_.call([this] {
      auto socket = RingSocket::dial(reactor_, path_);
      if (socket)
        take(std::move(socket));
      return socket_ != nullptr;
    });
  }
  void hangUp() {
    reactor_.call([this] { socket_.reset(); });
  }
  /// Sends all of it, waiting for room.
  void send(Frames message) {
    while (socket_->send(message) == Sent::Full)
      std::this_thread::sleep_for(1ms);
  }
  RingSocket &socket() { return *socket_; }

  /// Runs the loop until a condition holds, which is checked on the loop.
  bool await(const std::function<bool()> &something) {
    return reactor_.workUntil(Reactor::Clock::now() + 30s, [&] {
      const std::lock_guard lock(mutex_);
      return something();
    });
  }
  bool awaitMessages(std::size_t count) {
    return await([this, count] { return received.size() >= count; });
  }
  bool connected() {
    return await([this] { return socket_ != nullptr; });
  }

  std::vector<Frames> received;
  std::vector<Status> ended;
  int refused_ = 0;

private:
  void take(std::unique_ptr<RingSocket> socket) {
    const std::lock_guard lock(mutex_);
    socket_ = std::move(socket);
    socket_->watch({[this](Frames frames) {
                      const std::lock_guard guard(mutex_);
                      received.push_back(std::move(frames));
                    },
                    [] {},
                    [this](const Status &why) {
                      const std::lock_guard guard(mutex_);
                      ended.push_back(why);
                    }});
  }

  std::mutex mutex_; ///< guards members that the loop's thread changes
  std::string path_;
  std::unique_ptr<RingSocket> socket_;
  std::unique_ptr<RingListener> listener_;
  Reactor reactor_;
};

class RingSockets : public ::testing::Test {
protected:
  RingSockets() {
    there.listen();
    EXPECT_TRUE(here.dial() && there.connected());
  }
  test::TemporaryFolder folder;
  std::string path = folder.path() / "rings";
  RingPeer there{path}, here{path};
};

TEST_F(RingSockets, CarryMessagesOfAnyNumberOfFramesInBothDirections) {
  for (std::size_t frames = 1; frames <= 7; ++frames)
    here.send(ringMessage(std::vector<std::string>(frames, std::to_string(frames))));
  ASSERT_TRUE(there.awaitMessages(7));
  for (std::size_t frames = 1; frames <= 7; ++frames)
    EXPECT_EQ(framesOf(there.received[frames - 1]),
              std::vector<std::string>(frames, std::to_string(frames)));
  there.send(ringMessage({"answer", ""}));
  ASSERT_TRUE(here.awaitMessages(1));
  EXPECT_EQ(framesOf(here.received[0]), (std::vector<std::string>{"answer", ""}));
}

TEST_F(RingSockets, CarryMessagesThatAreLargerThanTheRing) {
  const std::string large(3 * ring::kBytes, 'x');
  std::thread sender([&] { here.send(ringMessage({"header", large, large, "end"})); });
  const bool came = there.awaitMessages(1);
  sender.join();
  ASSERT_TRUE(came);
  EXPECT_TRUE(framesOf(there.received[0]) ==
              (std::vector<std::string>{"header", large, large, "end"}));
}

TEST_F(RingSockets, KeepTheOrderOfMoreMessagesThanFit) {
  constexpr std::size_t kMessages = 2000;
  std::thread sender([&] {
    for (std::size_t i = 0; i < kMessages; ++i)
      here.send(ringMessage({std::to_string(i), std::string(i * 7 % 30'000, 'p'), "x", "y"}));
  });
  const bool came = there.awaitMessages(kMessages);
  sender.join();
  ASSERT_TRUE(came);
  for (std::size_t i = 0; i < kMessages; ++i) {
    ASSERT_EQ(there.received[i].front().to_string(), std::to_string(i));
    ASSERT_EQ(there.received[i].size(), 4u);
  }
}

TEST_F(RingSockets, APayloadFilledInPlaceArrives) {
  Payload payload = here.socket().payload(1 << 20);
  std::fill(payload.data(), payload.data() + payload.size(), std::byte{42});
  Frames message = ringMessage({"header"});
  message.push_back(std::move(payload).toFrame());
  here.send(std::move(message));
  ASSERT_TRUE(there.awaitMessages(1));
  EXPECT_EQ(there.received[0][1].to_string(), std::string(1 << 20, 42));
}

TEST_F(RingSockets, ReportThePeersEndAfterItsLastMessages) {
  here.send(ringMessage({"farewell"}));
  here.hangUp();
  ASSERT_TRUE(there.await([&] { return !there.ended.empty(); }));
  EXPECT_EQ(there.received.size(), 1u);
  EXPECT_EQ(there.ended[0].code, Code::Disconnected);
  Frames late = ringMessage({"late"});
  EXPECT_EQ(there.socket().send(late), Sent::Unreachable);
}

TEST_F(RingSockets, LeaveNoFileBehind) {
  EXPECT_TRUE(std::filesystem::exists(path));
  {
    RingPeer other(path + "2");
    other.listen();
  }
  EXPECT_FALSE(std::filesystem::exists(path + "2"));
}

TEST(RingSocket, IsNullIfNoProcessListens) {
  const test::TemporaryFolder folder;
  RingPeer peer(folder.path() / "nobody");
  EXPECT_FALSE(peer.dial());
}

TEST(RingSocket, RefusesAPeerWithoutAValidHello) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() / "rings";
  RingPeer peer(path);
  peer.listen();
  const Descriptor stranger = local::connect(path);
  ASSERT_TRUE(stranger);
  ASSERT_TRUE(local::send(stranger.number(), std::as_bytes(std::span("hello", 5)), {}));
  EXPECT_TRUE(peer.await([&] { return peer.refused_ == 1; }));
}

TEST(RingSocket, NoticesThatAProcessWasKilled) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() / "rings";
  const pid_t child = ::fork(); // before this process has threads
  if (child == 0) {
    RingPeer peer(path);
    while (!peer.dial())
      std::this_thread::sleep_for(1ms);
    for (;;)
      peer.send(ringMessage({"header", std::string(100'000, 'x'), "more", "frames"}));
  }
  RingPeer peer(path);
  peer.listen();
  EXPECT_TRUE(peer.awaitMessages(50));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(peer.await([&] { return !peer.ended.empty(); }));
  EXPECT_EQ(peer.ended[0].code, Code::Disconnected);
}

} // namespace
} // namespace copse::fabric
