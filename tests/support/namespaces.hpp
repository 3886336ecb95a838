#pragma once

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace copse::test {

/// Returns true if this process may create namespaces of these kinds (CLONE_NEWNS, ...). An
/// ordinary user may not, and often root in a container may not either.
inline bool mayUnshare(int kinds) {
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(::unshare(kinds) == 0 ? 0 : 1);
  int status = -1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

} // namespace copse::test
