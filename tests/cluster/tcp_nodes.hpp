#pragma once

#include "child_process.hpp"
#include "cluster/cluster.hpp"
#include "cluster/key_files.hpp"
#include "cluster_nodes.hpp"
#include "scrape.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

/// Fixtures for tests of clusters over tcp. The build defines COPSE_IPUD_PATH and TOOLS_FOLDER.
namespace copse::test {

/// Two ipuds and an rbufd over tcp on loopback, with metrics, with or without keys. The names of
/// hosts are "host" and "mallory".
class TcpNodes {
public:
  static constexpr const char *kAddress = "127.0.0.1";

  /// \param controlHost  address at which host programs expect the control sockets; all daemons
  ///   listen at kAddress
  explicit TcpNodes(bool keyed, std::chrono::milliseconds lease = cluster::Cluster::kDefaultLease,
                    const std::string &controlHost = kAddress) {
    const auto endpoint = [](const std::string &host) {
      const std::string port = ":" + std::to_string(unusedPort());
      return cluster::ClusterEndpoint{"tcp://" + host + port, "tcp://" + (kAddress + port)};
    };
    cluster_.lease = lease;
    cluster_.hosts = {"host", "mallory"};
    for (unsigned ipu = 0; ipu < kIpus; ++ipu)
      cluster_.ipus.push_back(
          {endpoint(controlHost), endpoint(kAddress), endpoint(kAddress), metricsAddress()});
    cluster_.rbufd = cluster::ClusterRbufd{endpoint(kAddress), "", metricsAddress(), ""};
    if (keyed)
      cluster_.keys = folder_.file("keys");
    std::ofstream(file()) << cluster::formatCluster(cluster_);
    if (keyed) {
      EXPECT_TRUE(cluster::writeKeys(cluster_.keys, cluster::nodesOf(cluster_)).ok());
    }
    for (unsigned ipu = 0; ipu < kIpus; ++ipu)
      start({daemonProgram(COPSE_IPUD_PATH), "--cluster", file(), "--ipu", std::to_string(ipu)});
    start({daemonProgram(std::string(TOOLS_FOLDER) + "/rbufd"), "--cluster", file()});
  }

  std::string file() const { return folder_.file("cluster.json"); }
  const cluster::Cluster &cluster() const { return cluster_; }
  std::shared_ptr<const fabric::Keyring> keysOf(const std::string &name) const {
    auto keys = cluster::keysOf(cluster_, name);
    EXPECT_TRUE(keys.ok()) << keys.status().message;
    return keys ? *keys : nullptr;
  }
  /// Returns the public keys of all nodes, by name.
  std::map<std::string, std::string> publicKeys() const {
    std::ifstream file(cluster_.keys / "public.json");
    return nlohmann::json::parse(file);
  }
  /// Returns the ipuds, then the rbufd.
  const std::vector<std::unique_ptr<ChildProcess>> &daemons() const { return daemons_; }
  /// Returns the counters of a daemon, by name and labels.
  static std::map<std::string, double> figuresOf(const ChildProcess &daemon) {
    const auto line = nlohmann::json::parse(daemon.output(), nullptr, false);
    std::map<std::string, double> values;
    std::istringstream lines(scrape(line.value("metrics", "")));
    for (std::string text; std::getline(lines, text);)
      if (text.rfind("copse_", 0) == 0)
        values[text.substr(0, text.rfind(' '))] = std::stod(text.substr(text.rfind(' ') + 1));
    return values;
  }
  static double refusedBy(const ChildProcess &daemon) {
    const auto figures = figuresOf(daemon);
    for (const char *name :
         {"copse_ipud_refused_connections_total", "copse_rbufd_refused_connections_total"})
      if (const auto found = figures.find(name); found != figures.end())
        return found->second;
    return -1;
  }

private:
  static constexpr unsigned kIpus = 2;

  /// Returns a port that the system has just assigned, because it assigns that port again only much
  /// later.
  static std::uint16_t unusedPort() {
    static std::set<std::uint16_t> given;
    for (;;) {
      const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      socklen_t size = sizeof address;
      auto *const generic = reinterpret_cast<sockaddr *>(&address);
      EXPECT_EQ(::bind(socket, generic, size), 0);
      EXPECT_EQ(::getsockname(socket, generic, &size), 0);
      ::close(socket);
      if (given.insert(ntohs(address.sin_port)).second)
        return ntohs(address.sin_port);
    }
  }

  static std::string metricsAddress() { return "127.0.0.1:" + std::to_string(unusedPort()); }

  void start(std::vector<std::string> command) {
    daemons_.push_back(std::make_unique<ChildProcess>(std::move(command)));
    ASSERT_TRUE(daemons_.back()->waitForOutput("\n", std::chrono::seconds(20)))
        << daemons_.back()->errors();
  }

  TemporaryFolder folder_;
  cluster::Cluster cluster_;
  std::vector<std::unique_ptr<ChildProcess>> daemons_;
};

} // namespace copse::test
