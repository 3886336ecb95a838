#include "life.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace copse::ipud {
namespace {

constexpr std::chrono::milliseconds kEndTimeout{1'500};

/// Returns a descriptor that becomes readable when the parent process has ended; -1 if there is
/// none. The pipe is not enough, because another child of the host may hold its write end.
int hostProcess(const Life &life) {
  return life.parentFd < 0 ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, ::getppid(), 0));
}

void leaveNothing(const Life &life, int host) {
  // While the host lives, it removes the directory itself.
  std::array<pollfd, 2> parent{pollfd{life.parentFd, POLLIN, 0}, pollfd{host, POLLIN, 0}};
  if (life.privateDirectory.empty() || ::poll(parent.data(), parent.size(), 0) < 1)
    return;
  std::error_code ignored; // the host's other ipuds do this at the same time
  std::filesystem::remove_all(life.privateDirectory, ignored);
}

} // namespace

EndOfLife::EndOfLife(Life life) : life_(std::move(life)), host_(hostProcess(life_)) {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP})
    sigaddset(&ends, signal);
  if (life_.isDebugged) // a debugger does not see blocked interrupts
    sigdelset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN); // stdout and stderr may be pipes to a host that is gone
  signals_ = ::signalfd(-1, &ends, SFD_CLOEXEC);
}

EndOfLife::~EndOfLife() {
  ::close(signals_);
  leaveNothing(life_, host_);
  if (host_ >= 0)
    ::close(host_);
}

EndOfLife::Why EndOfLife::wait() {
  std::array<pollfd, 3> waits{pollfd{signals_, POLLIN, 0}, pollfd{life_.parentFd, POLLIN, 0},
                              pollfd{host_, POLLIN, 0}};
  while (::poll(waits.data(), waits.size(), -1) < 0 && errno == EINTR) {
  }
  // Pass copies, because this thread may outlive the object.
  std::thread([life = life_, host = ::dup(host_)] {
    std::this_thread::sleep_for(kEndTimeout);
    leaveNothing(life, host);
    ::_exit(1);
  }).detach();
  return (waits[1].revents | waits[2].revents) != 0 ? Why::HostGone : Why::Signal;
}

std::string readyLine(const Endpoints &endpoints, const std::string &metrics) {
  nlohmann::json line{{"pid", ::getpid()},
                      {"control", endpoints.control},
                      {"link", endpoints.link},
                      {"sync", endpoints.sync}};
  if (!metrics.empty())
    line["metrics"] = metrics;
  return line.dump();
}

} // namespace copse::ipud
