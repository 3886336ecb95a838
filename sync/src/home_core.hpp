#pragma once

#include <cstddef>
#include <optional>

namespace copse::sync {

/// A core for each of several processes that wait for each other and have to share the cores of a machine. The kernel
/// evens out loads over milliseconds, and moves whoever it wakes to a core that is idle at the moment; for work between
/// sync points that means 9 processes on one core and 7 on the other for many of them, and all wait for the 9.
///
/// A home binds nobody: the kernel may move a process that is at home as any other.
class HomeCore {
public:
  /// \param number   of this process; consecutive ones have different homes
  /// \param members  that wait for each other
  /// \returns nothing if there is a core for each
  static std::optional<HomeCore> of(std::size_t number, std::size_t members);

  /// Moves the calling thread to its home, if it may run there.
  void go() const;

private:
  explicit HomeCore(int core) : core_(core) {}

  int core_;
};

} // namespace copse::sync
