// One IPU as a process. Says on stdout where it listens, as one line of JSON, and runs until it is
// told to end or the host that started it is gone.
#include "src/daemon/life.hpp"

#include "ipud/daemon.hpp"

#include <zmq.hpp>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>

namespace {

/// An IPU has a connection to each of its partition: more than the few descriptors that a process
/// has unless it asks for them.
void raiseFileLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("ipud: one emulated IPU");
  copse::ipud::Endpoints listen{"tcp://127.0.0.1:*", "tcp://127.0.0.1:*", "tcp://127.0.0.1:*"};
  copse::ipud::Life life;
  std::string name = "ipu ?";
  std::string logLevel;
  app.add_option("--control", listen.control, "where the host connects to (a ZeroMQ endpoint)");
  app.add_option("--link", listen.link, "where the neighbours' IPU-Links connect to");
  app.add_option("--sync", listen.sync, "where the members of a sync group connect to");
  app.add_option("--parent-fd", life.parentFd, "read end of a pipe: end when its other end closes");
  app.add_option("--private-directory", life.privateDirectory,
                 "directory of the sockets: removed when the host is gone");
  app.add_option("--name", name, "who the log says this is");
  app.add_option("--log-level", logLevel,
                 "trace, debug, info, warn, error or off; default $COPSE_LOG_LEVEL, else warn");
  CLI11_PARSE(app, argc, argv);
  if (!logLevel.empty())
    ::setenv("COPSE_LOG_LEVEL", logLevel.c_str(), 1);

  raiseFileLimit();
  copse::ipud::EndOfLife end(life); // before the first thread: it takes the signals
  zmq::context_t context(1);
  auto daemon = copse::ipud::Daemon::start(context, listen, name,
                                           life.parentFd >= 0 ? copse::ipud::HostWatch::LifeLine
                                                              : copse::ipud::HostWatch::Heartbeats);
  if (!daemon) {
    std::fprintf(stderr, "ipud: %s\n", daemon.status().message.c_str());
    return 2;
  }
  std::puts(copse::ipud::readyLine((*daemon)->endpoints()).c_str());
  std::fflush(stdout);
  end.wait();
  return 0;
}
