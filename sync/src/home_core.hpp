#pragma once

#include <cstddef>
#include <optional>

namespace copse::sync {

/// Processes that wait for each other at every sync point share the cores of a machine. The kernel
/// balances loads over milliseconds, and places a process that it wakes on whichever core is idle
/// at that moment. Work between sync points is shorter than that, so for many sync points one core
/// may run 9 processes and another 7, and all wait for the 9. HomeCore spreads the processes evenly
/// by giving each a core to return to.
///
/// The affinity is soft: the kernel may still move a process away from its home core.
class HomeCore {
public:
  /// \param number   of this process; consecutive processes get different cores
  /// \param members  number of processes that wait for each other
  /// \returns nothing if each member can have a core of its own
  static std::optional<HomeCore> of(std::size_t number, std::size_t members);

  /// Moves the calling thread to its home core, if it may run there.
  void go() const;

private:
  explicit HomeCore(int core) : core_(core) {}

  int core_;
};

} // namespace copse::sync
