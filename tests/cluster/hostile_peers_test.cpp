// Peers that have a valid key and mean ill. They may end their own sessions, but no daemon, and no run
// of another host.
#include "cluster_nodes.hpp"
#include "hostile_messages.hpp"
#include "process_facts.hpp"
#include "tcp_nodes.hpp"

#include "fabric/frames.hpp"
#include "remote_buffers/client.hpp"
#include "wire/envelope.hpp"
#include "wire/rows.hpp"
#include "wire/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
namespace messages = wire::session;

template <class Body> std::string sessionMessage(Body body) {
  return HostileMessages::asText(messages::encode({3, {}, messages::Body(std::move(body))}));
}

/// All that hosts say, but for `reset` and `injectError`, which every host may send.
std::vector<std::string> sessionMessages() {
  return {sessionMessage(messages::Heartbeat{}), sessionMessage(messages::Hello{50}),
          sessionMessage(messages::Configure{}), sessionMessage(messages::Load{}),
          sessionMessage(messages::Run{}),       sessionMessage(messages::Stop{}),
          sessionMessage(messages::ViewWrite{}), sessionMessage(messages::StreamRow{}),
          sessionMessage(messages::Rows{}),      sessionMessage(messages::Fault{}),
          sessionMessage(messages::Detach{}),    sessionMessage(messages::Inspect{})};
}

std::vector<std::string> rowMessages() {
  namespace rows = wire::rows;
  const rows::Access access{77, 0, 0, {{0, 0, 8}}};
  std::vector<std::string> all;
  for (const rows::Body &body :
       {rows::Body(rows::Open{"prog", 1, {{"b", 8, 1}}}), rows::Body(rows::Read{access}),
        rows::Body(rows::Write{access}), rows::Body(rows::Counters{}), rows::Body(rows::Ok{})})
    all.push_back(HostileMessages::asText(rows::encode({1, 8, body})));
  return all;
}

std::vector<std::string> syncMessages() {
  std::vector<std::string> all;
  wire::Envelope envelope;
  envelope.epoch = 0x5EED5EED; // nobody tells mallory the real one
  envelope.from = {1};
  const wire::Status failure{wire::Code::Internal, "stop"};
  const auto add = [&](auto body) {
    envelope.body = std::move(body);
    all.push_back(HostileMessages::asText(wire::encode(envelope)));
  };
  add(wire::SyncArrive{wire::SyncGroup::GS2, {1}, failure, 0});
  add(wire::SyncLeave{wire::SyncGroup::GS2, {1}, failure});
  add(wire::Fault{wire::Code::Internal, "stop"});
  return all;
}

/// One place that mallory attacks, with a key that gets in there.
struct Target {
  std::string endpoint, node;
  std::shared_ptr<const fabric::Keyring> keys;
  zmq::socket_type type;
  std::vector<std::string> messages;
  const ChildProcess *daemon;
};

class HostilePeers : public ::testing::Test {
protected:
  std::vector<Target> targets() {
    const auto &cluster = nodes_.cluster();
    const auto mallory = nodes_.keysOf("mallory");
    std::vector<Target> all;
    for (std::size_t ipu = 0; ipu < cluster.ipus.size(); ++ipu) {
      const std::string name = fabric::nameOfIpu(ipu);
      const ChildProcess *const daemon = nodes_.daemons()[ipu].get();
      all.push_back({cluster.ipus[ipu].control.address, name, mallory, zmq::socket_type::dealer,
                     sessionMessages(), daemon});
      all.push_back({cluster.ipus[ipu].sync.address, name,
                     nodes_.keysOf(fabric::nameOfIpu(1 - ipu)), zmq::socket_type::push,
                     syncMessages(), daemon});
    }
    all.push_back({cluster.rbufd->endpoint.address, fabric::kRbufdName, mallory,
                   zmq::socket_type::dealer, rowMessages(), nodes_.daemons().back().get()});
    return all;
  }
  zmq::socket_t dial(const Target &target) {
    zmq::socket_t socket(context_, target.type);
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::sndtimeo, 100);
    EXPECT_TRUE(target.keys->connect(socket, target.node).ok());
    socket.connect(target.endpoint);
    return socket;
  }
  static bool send(zmq::socket_t &socket, const std::string &frame, bool more) {
    return socket.send(zmq::buffer(frame), more ? zmq::send_flags::sndmore : zmq::send_flags::none)
        .has_value();
  }
  /// Damaged and sound messages, of one frame or several.
  void sendNonsense(const Target &target, HostileMessages &hostile) {
    zmq::socket_t socket = dial(target);
    for (int message = 0; message < 100; ++message)
      for (std::uint32_t frames = hostile.number(4) + 1; frames > 0; --frames)
        if (!send(socket,
                  hostile.number(4) == 0 ? target.messages[hostile.number(
                                               static_cast<std::uint32_t>(target.messages.size()))]
                                         : hostile.frame(),
                  frames > 1))
          return;
    std::this_thread::sleep_for(50ms); // for what has been given to the socket
  }
  /// More than anybody may send, in one frame: libzmq ends the process of a client whose connection
  /// ends amid the frames of a message while its socket is closed.
  void sendTooMuch(const Target &target) {
    zmq::socket_t socket = dial(target);
    (void)send(socket, std::string(64 << 20, 'x'), false);
    std::this_thread::sleep_for(200ms);
  }
  void connectOften(const Target &target) {
    std::vector<zmq::socket_t> sockets;
    for (int i = 0; i < 150; ++i) {
      sockets.push_back(dial(target));
      (void)send(sockets.back(), target.messages.front(), false);
    }
    std::this_thread::sleep_for(300ms);
  }

  TcpNodes nodes_{true};
  zmq::context_t context_{1, 4096};
};

TEST_F(HostilePeers, EndNoDaemonAndNoRunOfAnotherHost) {
  std::map<std::string, std::string> environment{{"COPSE_CLUSTER", nodes_.file()},
                                                 {"COPSE_HOST", "host"}};
  ChildProcess victim({COPSE_HOST_PROGRAM, "2", "60"}, environment);
  ASSERT_TRUE(victim.waitForOutput(": 12345", 60s)) << victim.output() << victim.errors();
  std::vector<std::thread> attackers;
  for (const Target &target : targets())
    attackers.emplace_back([this, target] {
      HostileMessages hostile(target.messages);
      for (int round = 0; round < 3; ++round) {
        sendNonsense(target, hostile);
        sendTooMuch(target);
      }
      connectOften(target);
    });
  for (std::thread &attacker : attackers)
    attacker.join();
  EXPECT_EQ(victim.wait(120s), 0) << victim.output() << victim.errors();
  for (const auto &daemon : nodes_.daemons()) {
    EXPECT_FALSE(daemon->wait(0ms)) << daemon->errors();
    EXPECT_GE(TcpNodes::refusedBy(*daemon), 0) << "it answers";
  }
  ChildProcess next({COPSE_HOST_PROGRAM, "2", "1"}, environment);
  EXPECT_EQ(next.wait(60s), 0) << next.output() << next.errors();
}

TEST_F(HostilePeers, TakeNoMemoryByMessagesThatTheyMayNotSend) {
  for (const Target &target : targets()) {
    forgetPeak(target.daemon->pid());
    const double before = residentMiB(target.daemon->pid());
    std::vector<std::thread> attackers;
    for (int i = 0; i < 4; ++i)
      attackers.emplace_back([&] { sendTooMuch(target); });
    for (std::thread &attacker : attackers)
      attacker.join();
    EXPECT_LT(peakMiB(target.daemon->pid()) - before, 12) << target.endpoint << " " << target.node;
  }
}

TEST_F(HostilePeers, TakeNoMemoryByPiecesOfMessages) {
  const Target target = targets().front(); // an ipud whose session mallory does not hold
  forgetPeak(target.daemon->pid());
  const double before = residentMiB(target.daemon->pid());
  zmq::socket_t socket = dial(target);
  socket.set(zmq::sockopt::sndtimeo, 20'000);
  ASSERT_TRUE(send(
      socket, HostileMessages::asText(messages::encode({3, {3ULL << 30}, messages::Load{}, true})),
      false));
  constexpr int kPieces = 500;
  const std::string piece(60 << 10, 'x');
  for (int i = 0; i < kPieces; ++i) {
    const auto header = messages::encode({0, {piece.size()}, messages::Piece{}});
    ASSERT_TRUE(send(socket, HostileMessages::asText(header), true) && send(socket, piece, false));
  }
  EXPECT_TRUE(soon([&] {
    return TcpNodes::figuresOf(*target.daemon).at("copse_ipud_dropped_messages_total") ==
           kPieces + 1;
  }));
  EXPECT_LT(peakMiB(target.daemon->pid()) - before, 12);
}

TEST_F(HostilePeers, ThatTakeNoAnswersTakeLittleMemory) {
  const Target target = targets().back();
  constexpr std::uint64_t kRowBytes = 4 << 20;
  remote_buffers::ClientOptions options{target.endpoint, "prog", 10s};
  options.keys = target.keys;
  auto store = remote_buffers::openRemote(options, {{"b", kRowBytes, 1}}, 1);
  ASSERT_TRUE(store.ok()) << store.status().message;
  // The store's number is what an `open` of the same tells.
  namespace rows = wire::rows;
  zmq::socket_t socket = dial(target);
  socket.set(zmq::sockopt::rcvtimeo, 10'000);
  socket.set(zmq::sockopt::rcvhwm, 1);
  ASSERT_TRUE(send(
      socket,
      HostileMessages::asText(rows::encode({1, 0, rows::Open{"prog", 1, {{"b", kRowBytes, 1}}}})),
      false));
  zmq::message_t answer;
  ASSERT_TRUE(socket.recv(answer));
  const auto opened = rows::decode(fabric::bytesOf(answer));
  ASSERT_TRUE(opened.ok() && std::holds_alternative<rows::Opened>(opened->body));
  const std::uint64_t number = std::get<rows::Opened>(opened->body).store;
  forgetPeak(target.daemon->pid());
  const double before = residentMiB(target.daemon->pid());
  for (std::uint64_t request = 2; request < 200; ++request)
    (void)send(socket,
               HostileMessages::asText(
                   rows::encode({request, 0, rows::Read{{number, 0, 0, {{0, 0, kRowBytes}}}}})),
               false);
  std::this_thread::sleep_for(500ms);
  EXPECT_TRUE(remote_buffers::askCounters(target.endpoint, 20s, target.keys).ok());
  EXPECT_LT(peakMiB(target.daemon->pid()) - before, 160) << "800 MiB were asked for";
}

} // namespace
} // namespace copse::test
