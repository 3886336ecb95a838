#pragma once

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace copse::test {

/// Whether this process may make namespaces of these kinds (CLONE_NEWNS, ...). An ordinary user may
/// not, and often neither may root in a container.
inline bool mayUnshare(int kinds) {
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(::unshare(kinds) == 0 ? 0 : 1);
  int status = -1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

} // namespace copse::test
