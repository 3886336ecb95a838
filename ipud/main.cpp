// Runs one IPU as a process. Prints its endpoints on stdout as one line of JSON, and runs until it
// is told to end or its parent host is gone. As a node of a cluster it has no parent host: it
// serves one host program after another.
#include "cluster/cluster.hpp"
#include "cluster/key_files.hpp"
#include "src/daemon/ipud_metrics.hpp"
#include "src/daemon/life.hpp"
#include "src/daemon/log.hpp"

#include "fabric/buffer_reuse.hpp"
#include "fabric/file_limit.hpp"
#include "ipud/daemon.hpp"
#include "ipud/open_files.hpp"
#include "wire/environment.hpp"

#include <zmq.hpp>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace {

// The time for the current run to finish when the process is told to end.
constexpr std::chrono::milliseconds kDrain{500};

using Keys = std::shared_ptr<const copse::fabric::Keyring>;

/// Returns the entry of IPU \p number in the cluster file, and its keys.
copse::wire::Result<std::pair<copse::cluster::ClusterIpu, Keys>> nodeOf(const std::string &file,
                                                                        unsigned number) {
  auto cluster = copse::cluster::readCluster(file);
  if (!cluster)
    return cluster.status();
  if (number >= cluster->ipus.size())
    return copse::wire::Status{copse::wire::Code::InvalidOption,
                               "cluster file " + file + " has no ipu " + std::to_string(number) +
                                   ", but " + std::to_string(cluster->ipus.size()) +
                                   ", counted from 0"};
  auto keys = copse::cluster::keysOf(*cluster, copse::fabric::nameOfIpu(number));
  if (!keys)
    return keys.status();
  return std::pair(std::move(cluster->ipus[number]), std::move(*keys));
}

// Errors name environment variables, because these are set by users. Options are set by the program
// that starts an ipud.
constexpr const char *kDeadline = "COPSE_LINK_DEADLINE_MS", *kPayloads = "COPSE_CHECK_PAYLOADS";
constexpr std::uint32_t kLongestDeadlineMs = 3'600'000;

/// Reads the settings of links from the environment.
copse::wire::Status readLinkVariables(std::uint32_t &deadlineMs, bool &checkPayload) {
  const auto deadline =
      copse::wire::numberOfEnvironment(kDeadline, 1, kLongestDeadlineMs, deadlineMs);
  if (!deadline)
    return deadline.status();
  const auto check = copse::wire::wordOfEnvironment(kPayloads, {"0", "1"}, "0");
  if (!check)
    return check.status();
  deadlineMs = static_cast<std::uint32_t>(*deadline);
  checkPayload = *check == "1";
  return copse::wire::Status::success();
}

int refuse(const copse::wire::Status &why) {
  std::fprintf(stderr, "ipud: %s\n", why.message.c_str());
  return 2;
}

} // namespace

int main(int argc, char **argv) try {
  copse::fabric::reuseBuffers();
  CLI::App app("ipud: one emulated IPU");
  copse::ipud::Endpoints listen{"tcp://127.0.0.1:*", "tcp://127.0.0.1:*", "tcp://127.0.0.1:*"};
  copse::ipud::Life life;
  std::string name = "ipu ?";
  std::string logLevel, logFormat, metrics, cluster;
  unsigned ipu = 0;
  bool insecure = false;
  Keys keys;
  copse::fabric::LinkOptions links;
  std::uint32_t linkDeadlineMs = static_cast<std::uint32_t>(links.deadline.count());
  if (const auto read = readLinkVariables(linkDeadlineMs, links.checkPayload); !read.ok())
    return refuse(read);
  auto *const control =
      app.add_option("--control", listen.control, "ZeroMQ endpoint to listen on for the host");
  auto *const link =
      app.add_option("--link", listen.link, "endpoint to listen on for the neighbours' IPU-Links");
  auto *const sync = app.add_option("--sync", listen.sync,
                                    "endpoint to listen on for the members of a sync group");
  app.add_option("--parent-fd", life.parentFd,
                 "read end of a pipe; this process ends when the other end closes");
  app.add_option("--private-directory", life.privateDirectory,
                 "directory of the sockets; removed when the host has ended");
  auto *const named = app.add_option("--name", name, "name of this process in the log");
  auto *const clustered =
      app.add_option("--cluster", cluster, "run as a node of the cluster that this file describes");
  app.add_option("--ipu", ipu, "number of this IPU in the cluster, from 0")->needs(clustered);
  app.add_option("--log-format", logFormat, "text or json; default: $COPSE_LOG_FORMAT, else text")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option("--metrics", metrics,
                 "ADDRESS:PORT to serve metrics on for Prometheus, such as 127.0.0.1:9472");
  app.add_flag(
      "--insecure", insecure,
      "listen beyond loopback without keys; any program that reaches this IPU can run code here");
  for (auto *const given : {control, link, sync, named})
    given->excludes(clustered);
  app.add_option("--log-level", logLevel,
                 "trace, debug, info, warn, error or off; default: $COPSE_LOG_LEVEL, else warn");
  app.add_option(
         "--link-deadline-ms", linkDeadlineMs,
         "an IPU-Link is down if its neighbour acknowledges nothing for this long, or in shared "
         "memory shows no sign of life; default: $COPSE_LINK_DEADLINE_MS")
      ->check(CLI::Range(std::uint32_t{1}, kLongestDeadlineMs))
      ->capture_default_str();
  app.add_flag(
      "--check-payloads", links.checkPayload,
      "send a hash with each message on IPU-Links over a network; damaged messages are sent "
      "again; default: $COPSE_CHECK_PAYLOADS");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  // NOLINTBEGIN(concurrency-mt-unsafe): there is only one thread yet
  if (!logFormat.empty())
    ::setenv("COPSE_LOG_FORMAT", logFormat.c_str(), 1);
  if (!logLevel.empty())
    ::setenv("COPSE_LOG_LEVEL", logLevel.c_str(), 1);
  life.isDebugged = !copse::wire::environmentVariable("COPSE_DEBUG").empty();
  // NOLINTEND(concurrency-mt-unsafe)

  if (!cluster.empty()) {
    auto node = nodeOf(cluster, ipu);
    if (!node)
      return refuse(node.status());
    const auto &where = node->first;
    listen = {where.control.listen, where.link.listen, where.sync.listen};
    keys = node->second;
    if (metrics.empty())
      metrics = where.metrics;
    name = "ipu " + std::to_string(ipu);
  }
  copse::ipud::logAs(name);
  if (!keys && !insecure)
    if (const auto status =
            copse::cluster::checkLoopback({listen.control, listen.link, listen.sync});
        !status.ok())
      return refuse(status);
  // An IPU has a connection to every other IPU of its partition.
  copse::fabric::raiseFileLimit();
  if (const auto status = copse::fabric::checkFileLimit(copse::ipud::kFilesOfDaemon, name);
      !status.ok())
    return refuse(status);
  links.deadline = std::chrono::milliseconds(linkDeadlineMs);
  copse::ipud::EndOfLife end(life); // must precede the first thread: it blocks the signals
  zmq::context_t context(1);
  auto daemon = copse::ipud::Daemon::start(context, listen, name,
                                           life.parentFd >= 0 ? copse::ipud::HostWatch::LifeLine
                                                              : copse::ipud::HostWatch::Heartbeats,
                                           std::move(keys), links);
  if (!daemon)
    return refuse(daemon.status());
  std::unique_ptr<copse::metrics::MetricsServer> server;
  if (!metrics.empty()) {
    auto served = copse::metrics::MetricsServer::start(
        metrics, [&daemon] { return copse::ipud::metricsOf((*daemon)->figures()); });
    if (!served)
      return refuse(served.status());
    server = std::move(*served);
  }
  std::puts(
      copse::ipud::readyLine((*daemon)->endpoints(), server ? server->address() : "").c_str());
  std::fflush(stdout);
  if (end.wait() == copse::ipud::EndOfLife::Why::Signal)
    (*daemon)->drain(kDrain);
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "ipud: %s\n", error.what());
  return 2;
}
