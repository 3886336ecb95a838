#pragma once

#include "child_process.hpp"
#include "cluster/cluster.hpp"

#include "session/node_query.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

/// Fixtures for tests of clusters. The build defines COPSE_IPUD_PATH.
namespace copse::test {

/// Checks every few milliseconds until \p isSo holds.
/// \returns false at the deadline
inline bool soon(const std::function<bool()> &isSo,
                 std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!isSo()) {
    if (std::chrono::steady_clock::now() >= deadline)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

/// \returns the program of a daemon: from the folder COPSE_TEST_DAEMONS, for example of a build
///   with sanitizers, or \p built
inline std::string daemonProgram(const std::string &built) {
  const char *const folder = std::getenv("COPSE_TEST_DAEMONS");
  return folder == nullptr
             ? built
             : (std::filesystem::path(folder) / std::filesystem::path(built).filename()).string();
}

/// A cluster file, and the ipuds that it describes as processes.
class ClusterNodes {
public:
  /// Starts the nodes over ipc, in a folder of its own.
  /// \param arguments  for every ipud, in addition to a node's arguments
  explicit ClusterNodes(unsigned ipus, std::chrono::milliseconds lease = std::chrono::seconds(1),
                        std::vector<std::string> arguments = {"--log-level", "off"})
      : arguments_(std::move(arguments)) {
    cluster_.lease = lease;
    for (unsigned ipu = 0; ipu < ipus; ++ipu) {
      const auto endpoint = [&](const char *use) {
        const std::string address = "ipc://" + folder_.file(std::to_string(ipu) + use);
        return cluster::ClusterEndpoint{address, address};
      };
      cluster_.ipus.push_back({endpoint("c"), endpoint("l"), endpoint("s"), ""});
    }
    std::ofstream(file()) << cluster::formatCluster(cluster_);
    processes_.resize(ipus);
    for (unsigned ipu = 0; ipu < ipus; ++ipu)
      start(ipu);
  }

  std::string file() const { return folder_.file("cluster.json"); }
  std::map<std::string, std::string> environment() const { return {{"COPSE_CLUSTER", file()}}; }
  const cluster::Cluster &cluster() const { return cluster_; }
  ChildProcess &process(unsigned ipu) { return *processes_.at(ipu); }

  /// Starts an ipud in place of the one that was there, which is killed.
  void start(unsigned ipu) {
    processes_.at(ipu).reset();
    std::vector<std::string> command{daemonProgram(COPSE_IPUD_PATH), "--cluster", file(), "--ipu",
                                     std::to_string(ipu)};
    command.insert(command.end(), arguments_.begin(), arguments_.end());
    processes_[ipu] = std::make_unique<ChildProcess>(std::move(command));
    ASSERT_TRUE(processes_[ipu]->waitForOutput("\n", std::chrono::seconds(20)))
        << processes_[ipu]->errors();
  }

  /// Returns the line that IPU \p ipu printed when it was ready.
  nlohmann::json readyLine(unsigned ipu) const {
    return nlohmann::json::parse(processes_.at(ipu)->output(), nullptr, false);
  }
  wire::session::State state(unsigned ipu) {
    auto state = session::inspectNode(context_, session::nodeAt(cluster_, ipu, keys_.get()),
                                      std::chrono::seconds(10));
    EXPECT_TRUE(state.ok()) << state.status().message;
    return state ? std::move(*state) : wire::session::State{};
  }
  bool held(unsigned ipu) { return !state(ipu).holder.empty(); }

private:
  std::vector<std::string> arguments_;
  TemporaryFolder folder_;
  cluster::Cluster cluster_;
  zmq::context_t context_{1};
  std::shared_ptr<const fabric::Keyring> keys_; ///< null: there are no keys
  std::vector<std::unique_ptr<ChildProcess>> processes_;
};

} // namespace copse::test
