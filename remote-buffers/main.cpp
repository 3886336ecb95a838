// Serves remote buffers from a process that outlives the host programs that use it. Prints its
// endpoints on stdout as one line of JSON, and runs until SIGTERM, SIGINT or SIGHUP.
#include "cluster/key_files.hpp"

#include "fabric/buffer_reuse.hpp"
#include "fabric/file_limit.hpp"
#include "remote_buffers/client.hpp"
#include "remote_buffers/daemon.hpp"

#include <zmq.hpp>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

using namespace copse::remote_buffers;
using namespace std::chrono_literals;

int refuse(const std::string &why) {
  std::fprintf(stderr, "rbufd: %s\n", why.c_str());
  return 2;
}

/// Blocks the signals that end the process. Must be called before the first thread starts, because
/// threads inherit the mask.
sigset_t takeSignals() {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : std::array{SIGTERM, SIGINT, SIGHUP})
    sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // A write beyond the file size limit must fail with a Status instead of ending the process.
  std::signal(SIGXFSZ, SIG_IGN);
  return ends;
}

void say(const nlohmann::json &line) {
  std::puts(line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

int printCounters(const std::string &endpoint) {
  const auto counters = askCounters(endpoint, 2s);
  if (!counters)
    return refuse(counters.status().message);
  nlohmann::ordered_json all;
  for (const auto &counter : *counters)
    all[counter.name] = counter.value;
  say(all);
  return 0;
}

/// Returns the options that the cluster file gives for its rbufd.
copse::wire::Result<DaemonOptions> optionsOf(const std::string &clusterFile) {
  auto cluster = copse::cluster::readCluster(clusterFile);
  if (!cluster)
    return cluster.status();
  if (!cluster->rbufd)
    return copse::wire::Status{copse::wire::Code::InvalidOption,
                               "cluster file " + clusterFile +
                                   " names no rbufd; add \"rbufd\": {\"endpoint\": ...}"};
  DaemonOptions options;
  options.listen = cluster->rbufd->endpoint.listen;
  options.directory = cluster->rbufd->directory;
  options.metrics = cluster->rbufd->metrics;
  auto keys = copse::cluster::keysOf(*cluster, copse::fabric::kRbufdName);
  if (!keys)
    return keys.status();
  options.keys = std::move(*keys);
  return options;
}

int run(const DaemonOptions &options) {
  copse::fabric::raiseFileLimit(); // each host and each stored buffer needs file descriptors
  const sigset_t ends = takeSignals();
  zmq::context_t context(1);
  auto daemon = Daemon::start(context, options);
  if (!daemon)
    return refuse(daemon.status().message);
  say({{"pid", ::getpid()},
       {"endpoint", (*daemon)->endpoint()},
       {"directory", options.directory.string()},
       {"metrics", (*daemon)->metricsAddress()}});
  int signal = 0;
  sigwait(&ends, &signal);
  // A hanging disk must not keep the process alive. All acknowledged writes are already in the
  // kernel.
  std::thread([] {
    std::this_thread::sleep_for(1500ms);
    ::_exit(1);
  }).detach();
  return 0;
}

} // namespace

int main(int argc, char **argv) try {
  copse::fabric::reuseBuffers();
  CLI::App app("rbufd: keeps remote buffers for host programs, also after the programs have ended");
  bool insecure = false;
  std::string configuration, cluster, counters, listen, directory, metrics, logLevel;
  auto *const configured =
      app.add_option("--config", configuration,
                     "a JSON file of options; options of the command line take precedence");
  auto *const clustered = app.add_option("--cluster", cluster,
                                         "run as the rbufd of the cluster that this file describes")
                              ->excludes(configured);
  app.add_option("--listen", listen,
                 "ZeroMQ endpoint to listen on, ipc or tcp; default: tcp://127.0.0.1:*")
      ->excludes(clustered);
  app.add_option("--directory", directory, "keep rows in files of this directory, not in memory");
  app.add_option("--metrics", metrics,
                 "ADDRESS:PORT to serve metrics on for Prometheus, such as 127.0.0.1:9471");
  app.add_option("--log-level", logLevel, "trace, debug, info, warn (default), error or off");
  app.add_option("--counters", counters,
                 "print the counters of the rbufd at this endpoint, and end");
  app.add_flag(
      "--insecure", insecure,
      "listen beyond loopback without keys; any program that reaches this daemon can read and "
      "write all rows");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!counters.empty())
    return printCounters(counters);
  DaemonOptions options;
  if (!configuration.empty()) {
    auto read = readConfiguration(configuration);
    if (!read)
      return refuse(read.status().message);
    options = std::move(*read);
  }
  if (!cluster.empty()) {
    auto read = optionsOf(cluster);
    if (!read)
      return refuse(read.status().message);
    options = std::move(*read);
  }
  if (!listen.empty())
    options.listen = listen;
  if (!directory.empty())
    options.directory = directory;
  if (!metrics.empty())
    options.metrics = metrics;
  if (!logLevel.empty())
    options.logLevel = logLevel;
  if (!options.keys && !insecure)
    if (const auto status = copse::cluster::checkLoopback({options.listen}); !status.ok())
      return refuse(status.message);
  return run(options);
} catch (const std::exception &error) {
  std::fprintf(stderr, "rbufd: %s\n", error.what());
  return 2;
}
