#pragma once

#include <cerrno>
#include <cstring>
#include <grp.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/// Tests with another user of the machine. Only root can become one: for other users, the tests are
/// skipped.
namespace copse::test {

constexpr uid_t kNobody = 65534;

/// How much access another user gets to a Unix socket.
enum class Reached { CannotConnect, IsLetGo, IsHeard };

/// Connects to \p path as \p user, in a process of its own.
/// \param type  SOCK_STREAM, SOCK_SEQPACKET or SOCK_DGRAM
/// \returns IsHeard for a peer that says something, or that takes datagrams; none if this process
/// cannot become that user
inline std::optional<Reached> reach(const std::string &path, int type, uid_t user = kNobody) {
  constexpr int kNotThatUser = 99, kTimeoutMs = 5'000;
  const pid_t child = ::fork();
  if (child == 0) {
    if (user != ::geteuid() &&
        (::setgroups(0, nullptr) != 0 || ::setresgid(user, user, user) != 0 ||
         ::setresuid(user, user, user) != 0))
      ::_exit(kNotThatUser);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    const int socket = ::socket(AF_UNIX, type, 0);
    if (::connect(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
      ::_exit(static_cast<int>(Reached::CannotConnect));
    char byte = 0;
    pollfd wait{socket, POLLIN, 0};
    const bool isLetGo =
        type != SOCK_DGRAM && ::poll(&wait, 1, kTimeoutMs) > 0 && ::recv(socket, &byte, 1, 0) <= 0;
    ::_exit(static_cast<int>(isLetGo ? Reached::IsLetGo : Reached::IsHeard));
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) == kNotThatUser)
    return {};
  return static_cast<Reached>(WEXITSTATUS(status));
}

} // namespace copse::test
