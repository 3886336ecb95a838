#include "popc/child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace copse::popc {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw std::runtime_error("cannot make a pipe to the compiler");
    read = ends[0];
    write = ends[1];
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;
  ~Pipe() {
    closeEnd(read);
    closeEnd(write);
  }
  static void closeEnd(int &fd) {
    if (fd >= 0)
      ::close(fd);
    fd = -1;
  }
};

/// Starts programs without a copy of this process's page tables. In a host program with much memory
/// such a copy takes longer than many a started program.
class Spawner {
public:
  Spawner(const Pipe &in, const Pipe &out, const Pipe &err, const std::string &directory) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    int failed = posix_spawn_file_actions_adddup2(&actions_, in.read, STDIN_FILENO);
    failed |= posix_spawn_file_actions_adddup2(&actions_, out.write, STDOUT_FILENO);
    failed |= posix_spawn_file_actions_adddup2(&actions_, err.write, STDERR_FILENO);
    if (!directory.empty())
      failed |= posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str());
    sigset_t none, pipe;
    sigemptyset(&none);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    failed |= posix_spawnattr_setsigmask(&attributes_, &none);
    failed |= posix_spawnattr_setsigdefault(&attributes_, &pipe);
    failed |=
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    isGood_ = failed == 0;
  }
  ~Spawner() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawner(const Spawner &) = delete;
  Spawner &operator=(const Spawner &) = delete;

  /// \returns nothing if there is no such program or directory
  /// \throws std::runtime_error if the system has no room for another process
  std::optional<pid_t> start(char *const *argv) const {
    pid_t child = 0;
    const int error =
        isGood_ ? ::posix_spawnp(&child, argv[0], &actions_, &attributes_, argv, environ) : ENOMEM;
    if (error == EAGAIN || error == ENOMEM)
      throw std::runtime_error("cannot start '" + std::string(argv[0]) +
                               "': out of processes or memory");
    return error == 0 ? std::optional(child) : std::nullopt;
  }

private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  bool isGood_ = false;
};

/// Feeds and drains the child's pipes without ever blocking on one of them.
class Conversation {
public:
  Conversation(Pipe &in, Pipe &out, Pipe &err, std::string_view input)
      : in_(in), out_(out), err_(err), input_(input) {
    for (const int fd : {in_.write, out_.read, err_.read})
      ::fcntl(fd, F_SETFL, O_NONBLOCK);
  }

  /// Converses until the child closes its output.
  /// \returns false if the deadline has passed
  bool untilAnswered(Clock::time_point deadline, ChildResult &result) {
    const bool isAnswered = converse(deadline, result, [&] { return out_.read < 0; });
    drain(err_.read, result.errors); // what was written before the end of the output
    return isAnswered;
  }
  /// Closes the child's input after the last byte, and converses until the child ends.
  /// \returns false if the deadline has passed
  bool untilEnd(Clock::time_point deadline, ChildResult &result) {
    endsInput_ = true;
    if (input_.empty())
      Pipe::closeEnd(in_.write);
    return converse(deadline, result, [&] { return out_.read < 0 && err_.read < 0; });
  }

private:
  bool converse(Clock::time_point deadline, ChildResult &result,
                const std::function<bool()> &isDone) {
    while (!isDone()) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0)
        return false;
      const int fed = input_.empty() ? -1 : in_.write;
      std::array<pollfd, 3> polled{
          {{fed, POLLOUT, 0}, {out_.read, POLLIN, 0}, {err_.read, POLLIN, 0}}};
      if (::poll(polled.data(), polled.size(), static_cast<int>(left)) < 0)
        continue;
      if (polled[0].revents != 0)
        feed();
      if (polled[1].revents != 0)
        drain(out_.read, result.output);
      if (polled[2].revents != 0)
        drain(err_.read, result.errors);
    }
    return true;
  }

  void feed() {
    const ssize_t n = ::write(in_.write, input_.data(), input_.size());
    if (n > 0)
      input_.remove_prefix(static_cast<std::size_t>(n));
    const bool isRefused = n < 0 && errno != EAGAIN && errno != EINTR;
    if (isRefused)
      input_ = {};
    if (isRefused || (input_.empty() && endsInput_))
      Pipe::closeEnd(in_.write);
  }
  static void drain(int &fd, std::string &text) {
    std::array<char, 65536> buffer;
    ssize_t n = 0;
    while ((n = ::read(fd, buffer.data(), buffer.size())) > 0)
      text.append(buffer.data(), static_cast<std::size_t>(n));
    if (n == 0 || (errno != EINTR && errno != EAGAIN))
      Pipe::closeEnd(fd);
  }

  Pipe &in_, &out_, &err_;
  std::string_view input_;
  bool endsInput_ = false;
};

/// A child that ends early must not end this process by SIGPIPE. The signal is blocked for this
/// thread, and removed if it has arrived.
class SigpipeBlocked {
public:
  SigpipeBlocked() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~SigpipeBlocked() {
    const timespec now{};
    sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeBlocked(const SigpipeBlocked &) = delete;
  SigpipeBlocked &operator=(const SigpipeBlocked &) = delete;

private:
  sigset_t pipe_, before_;
};

int waitFor(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string tooSlow(const std::string &program, std::chrono::seconds deadline) {
  return "error: '" + program + "' has not ended within " + std::to_string(deadline.count()) +
         " s, and was killed; this machine may be busy with other work\n";
}

} // namespace

struct ChildProcess::Running {
  std::string program;
  Pipe in, out, err;
  pid_t child = 0;

  /// Kills the child, which has taken longer than \p deadline, and says so among its errors.
  void endLate(std::chrono::seconds deadline, ChildResult &result) const {
    ::kill(child, SIGKILL);
    result.errors += tooSlow(program, deadline);
  }
};

ChildProcess::ChildProcess(const std::vector<std::string> &arguments,
                           const std::string &directory) {
  std::vector<char *> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);

  auto running = std::make_unique<Running>();
  running->program = arguments.front();
  const auto child = Spawner(running->in, running->out, running->err, directory).start(argv.data());
  if (!child)
    return;
  running->child = *child;
  Pipe::closeEnd(running->in.read);
  Pipe::closeEnd(running->out.write);
  Pipe::closeEnd(running->err.write);
  running_ = std::move(running);
}

ChildProcess::~ChildProcess() {
  if (running_ == nullptr)
    return;
  ::kill(running_->child, SIGKILL);
  waitFor(running_->child);
}

ChildResult ChildProcess::answer(std::string_view input, std::chrono::seconds deadline) {
  ChildResult result;
  if (running_ == nullptr)
    return result;
  const SigpipeBlocked guard;
  if (!Conversation(running_->in, running_->out, running_->err, input)
           .untilAnswered(Clock::now() + deadline, result))
    running_->endLate(deadline, result);
  return result;
}

ChildResult ChildProcess::end(std::string_view input, std::chrono::seconds deadline) {
  if (running_ == nullptr)
    return {127, {}, {}};
  const SigpipeBlocked guard;
  ChildResult result;
  if (!Conversation(running_->in, running_->out, running_->err, input)
           .untilEnd(Clock::now() + deadline, result))
    running_->endLate(deadline, result);
  result.exitCode = waitFor(running_->child);
  running_.reset();
  return result;
}

ChildResult runChild(const std::vector<std::string> &arguments, std::string_view input,
                     const std::string &directory, std::chrono::seconds deadline) {
  return ChildProcess(arguments, directory).end(input, deadline);
}

} // namespace copse::popc
