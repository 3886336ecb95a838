// Tests malicious peers with a valid key. A peer may end its own sessions, but no daemon, and no
// run of another host.
#include "cluster_nodes.hpp"
#include "hostile_targets.hpp"
#include "process_facts.hpp"

#include "fabric/frames.hpp"
#include "remote_buffers/client.hpp"
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

class HostilePeers : public ::testing::Test {
protected:
  std::vector<Target> targets() { return targetsOf(nodes_); }
  zmq::socket_t dial(const Target &target) { return test::dial(context_, target); }
  void sendMessages(const Target &target, HostileMessages &hostile) {
    zmq::socket_t socket = dial(target);
    sendNonsense(socket, target, hostile, 100);
    std::this_thread::sleep_for(50ms); // sends what was given to the socket
  }
  /// Sends more than any peer may send, in one frame: libzmq ends the process of a client whose
  /// connection ends amid the frames of a message while its socket is closed.
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
        sendMessages(target, hostile);
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
  // A peer with a key may hold an IPU that the victim has left, until its connection ends.
  for (std::size_t ipu = 0; ipu < nodes_.cluster().ipus.size(); ++ipu) {
    const ChildProcess &ipud = *nodes_.daemons()[ipu];
    EXPECT_TRUE(soon([&] { return TcpNodes::figuresOf(ipud).at("copse_ipud_held") == 0; }))
        << ipud.errors();
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

TEST_F(HostilePeers, TakeLittleMemoryWithoutReadingAnswers) {
  const Target target = targets().back();
  constexpr std::uint64_t kRowBytes = 4 << 20;
  remote_buffers::ClientOptions options{target.endpoint, "prog", 10s};
  options.keys = target.keys;
  auto store = remote_buffers::openRemote(options, {{"b", kRowBytes, 1}}, 1);
  ASSERT_TRUE(store.ok()) << store.status().message;
  // The store's number is what an `open` of the same store returns.
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
