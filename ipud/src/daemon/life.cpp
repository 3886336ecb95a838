#include "life.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/signalfd.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace copse::ipud {
namespace {

constexpr std::chrono::milliseconds kPatience{1'000};

void leaveNothing(const Life &life) {
  // Only when the host is gone: while it lives, the directory is its own to remove.
  pollfd parent{life.parentFd, POLLIN, 0};
  if (life.privateDirectory.empty() || ::poll(&parent, 1, 0) != 1)
    return;
  std::error_code ignored; // the other ipuds of this host do the same at this moment
  std::filesystem::remove_all(life.privateDirectory, ignored);
}

} // namespace

EndOfLife::EndOfLife(Life life) : life_(std::move(life)) {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP})
    sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN); // stdout and stderr may be pipes of a host that is gone
  signals_ = ::signalfd(-1, &ends, SFD_CLOEXEC);
}

EndOfLife::~EndOfLife() {
  ::close(signals_);
  leaveNothing(life_);
}

void EndOfLife::wait() {
  std::array<pollfd, 2> waits{pollfd{signals_, POLLIN, 0}, pollfd{life_.parentFd, POLLIN, 0}};
  while (::poll(waits.data(), waits.size(), -1) < 0 && errno == EINTR) {
  }
  std::thread([life = life_] { // a copy: this thread may outlive the object
    std::this_thread::sleep_for(kPatience);
    leaveNothing(life);
    ::_exit(1);
  }).detach();
}

std::string readyLine(const Endpoints &endpoints) {
  const nlohmann::json line{{"pid", ::getpid()},
                            {"control", endpoints.control},
                            {"link", endpoints.link},
                            {"sync", endpoints.sync}};
  return line.dump();
}

} // namespace copse::ipud
