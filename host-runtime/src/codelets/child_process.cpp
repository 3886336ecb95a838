#include "codelets/child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace copse::codelets {
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

/// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void becomeProgram(char *const *argv, const char *directory, int in, int out,
                                int err) {
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (*directory == '\0' || ::chdir(directory) == 0)
    ::execvp(argv[0], argv);
  ::_exit(127);
}

/// Feeds and drains the child's pipes without ever blocking on one of them.
class Conversation {
public:
  Conversation(Pipe &in, Pipe &out, Pipe &err, std::string_view input)
      : in_(in), out_(out), err_(err), input_(input) {
    ::fcntl(in_.write, F_SETFL, O_NONBLOCK);
  }

  /// \returns false if the deadline passed first
  bool run(Clock::time_point deadline, ChildResult &result) {
    while (out_.read >= 0 || err_.read >= 0) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0)
        return false;
      std::array<pollfd, 3> polled{
          {{in_.write, POLLOUT, 0}, {out_.read, POLLIN, 0}, {err_.read, POLLIN, 0}}};
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

private:
  void feed() {
    const ssize_t n = ::write(in_.write, input_.data(), input_.size());
    if (n > 0)
      input_.remove_prefix(static_cast<std::size_t>(n));
    if (input_.empty() || (n < 0 && errno != EAGAIN && errno != EINTR))
      Pipe::closeEnd(in_.write);
  }
  static void drain(int &fd, std::string &text) {
    std::array<char, 65536> buffer;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n > 0)
      text.append(buffer.data(), static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR)
      Pipe::closeEnd(fd);
  }

  Pipe &in_, &out_, &err_;
  std::string_view input_;
};

/// A child that ends early must not end us by SIGPIPE: it is blocked for this thread, and taken if
/// it came.
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

} // namespace

ChildResult runChild(const std::vector<std::string> &arguments, std::string_view input,
                     const std::string &directory, std::chrono::seconds deadline) {
  std::vector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);

  const SigpipeBlocked guard;
  Pipe in, out, err;
  const pid_t child = ::fork();
  if (child < 0)
    throw std::runtime_error("cannot start '" + arguments.front() +
                             "': out of processes or memory");
  if (child == 0)
    becomeProgram(argv.data(), directory.c_str(), in.read, out.write, err.write);
  Pipe::closeEnd(in.read);
  Pipe::closeEnd(out.write);
  Pipe::closeEnd(err.write);
  if (input.empty())
    Pipe::closeEnd(in.write);

  ChildResult result;
  if (!Conversation(in, out, err, input).run(Clock::now() + deadline, result))
    ::kill(child, SIGKILL);
  result.exitCode = waitFor(child);
  return result;
}

} // namespace copse::codelets
