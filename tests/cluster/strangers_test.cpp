// Tests unauthenticated peers at every tcp port of real daemons: how much memory they get, whether
// they are counted, and whether other peers are served meanwhile.
#include "attacks.hpp"
#include "process_facts.hpp"
#include "tcp_nodes.hpp"

#include "remote_buffers/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kConnections = 6;
constexpr auto kAttack = 100ms;
// Without an attack, a daemon's peak grows by less than 1 MiB; each unauthenticated peer may take
// some KiB.
constexpr double kMostGrowthMiB = 12;

/// Attacks until the time is over, and connects again whenever it is disconnected.
void attack(const sockaddr_in &to, const Attack &attack) {
  for (const auto end = Clock::now() + kAttack; Clock::now() < end;) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval timeout{0, 50'000};
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    if (::connect(socket, reinterpret_cast<const sockaddr *>(&to), sizeof to) == 0 &&
        ::send(socket, attack.first.data(), attack.first.size(), MSG_NOSIGNAL) >= 0)
      while (Clock::now() < end) {
        if (attack.rest.empty())
          std::this_thread::sleep_for(10ms);
        else if (::send(socket, attack.rest.data(), attack.rest.size(), MSG_NOSIGNAL) < 0 &&
                 errno != EAGAIN)
          break;
      }
    ::close(socket);
  }
}

class UnauthenticatedPeers : public ::testing::TestWithParam<bool> {
protected:
  /// Returns true if all daemons answer peers that may ask.
  bool allAnswer() {
    const auto keys = GetParam() ? nodes_.keysOf("host") : nullptr;
    const auto &cluster = nodes_.cluster();
    for (std::size_t ipu = 0; ipu < cluster.ipus.size(); ++ipu)
      if (!session::inspectNode(context_, session::nodeAt(cluster, ipu, keys.get()), 20s).ok())
        return false;
    return remote_buffers::askCounters(cluster.rbufd->endpoint.address, 20s, keys).ok();
  }

  TcpNodes nodes_{GetParam()};
  zmq::context_t context_{1};
};
INSTANTIATE_TEST_SUITE_P(Clusters, UnauthenticatedPeers, ::testing::Bool(), [](const auto &p) {
  return std::string(p.param ? "WithKeys" : "WithoutKeys");
});

TEST_P(UnauthenticatedPeers, TakeLittleMemoryAtAnyPort) {
  ASSERT_TRUE(allAnswer());
  for (const std::size_t which : {std::size_t{0}, nodes_.daemons().size() - 1}) {
    const ChildProcess &daemon = *nodes_.daemons()[which];
    const auto ports = listeningPorts(daemon.pid());
    ASSERT_GE(ports.size(), which == 0 ? 4U : 2U) << "metrics, too";
    for (const sockaddr_in &port : ports)
      for (const Attack &one : attacks()) {
        forgetPeak(daemon.pid());
        const double before = residentMiB(daemon.pid());
        std::vector<std::thread> strangers;
        for (int i = 0; i < kConnections; ++i)
          strangers.emplace_back([&] { attack(port, one); });
        for (std::thread &stranger : strangers)
          stranger.join();
        EXPECT_LT(peakMiB(daemon.pid()) - before, kMostGrowthMiB)
            << one.name << " at port " << ntohs(port.sin_port) << " of daemon " << which;
      }
  }
  EXPECT_TRUE(allAnswer());
}

TEST_P(UnauthenticatedPeers, AreCountedWhateverTheySend) {
  for (const std::size_t which : {std::size_t{0}, nodes_.daemons().size() - 1}) {
    const ChildProcess &daemon = *nodes_.daemons()[which];
    const auto metricsPort = addressOf(nlohmann::json::parse(daemon.output())["metrics"]).port();
    for (const sockaddr_in &port : listeningPorts(daemon.pid())) {
      if (ntohs(port.sin_port) == metricsPort)
        continue;
      for (const std::string &words :
           {std::string("hello, is anybody there? hello"), greeting(GetParam() ? "NULL" : "CURVE"),
            greeting(GetParam() ? "CURVE" : "NULL") + '\6' + bigEndian(1U << 30, 8)}) {
        const double before = TcpNodes::refusedBy(daemon);
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr *>(&port), sizeof port), 0);
        (void)::send(socket, words.data(), words.size(), MSG_NOSIGNAL);
        EXPECT_TRUE(soon([&] { return TcpNodes::refusedBy(daemon) == before + 1; }))
            << ntohs(port.sin_port) << ": " << words.substr(0, 30);
        ::close(socket);
      }
    }
    EXPECT_THAT(daemon.errors(), ::testing::HasSubstr("connections so far, the last one from"));
  }
}

TEST_P(UnauthenticatedPeers, DoNotDelayMetricsBySilence) {
  const ChildProcess &daemon = *nodes_.daemons().back();
  const auto address = addressOf(nlohmann::json::parse(daemon.output())["metrics"]);
  asio::io_context io;
  std::vector<asio::ip::tcp::socket> silent;
  for (int i = 0; i < 100; ++i)
    silent.emplace_back(io).connect(address);
  const auto begin = Clock::now();
  EXPECT_GE(TcpNodes::refusedBy(daemon), 0);
  EXPECT_LT(Clock::now() - begin, 20s) << "one after another would take 200 s";
}

} // namespace
} // namespace copse::test
