#pragma once

#include "processor/core.hpp"
#include "processor/translator/host_registers.hpp"

#include <deque>
#include <xbyak/xbyak.h>

namespace copse::ipud {

/// The points where host code returns to the interpreter: one for each step to continue with, and
/// for each state of the host's registers.
class Exits {
public:
  struct Exit {
    const MicroOp *step;
    int extra;
    unsigned inUpper; ///< HostRegisters::inUpper
    Xbyak::Label label;
  };

  /// Keeps a reference to \p registers.
  explicit Exits(const HostRegisters &registers) : registers_(registers) {}

  /// Sets the number that the caller of the host code gets besides the step. For a loop, it is the
  /// number of turns left in addition to r13; for a region, its NativeRegion::How.
  void setExtra(int number) { extra_ = number; }
  /// Returns the label to jump to if \p step is next, with all registers as before that step.
  const Xbyak::Label &at(const MicroOp *step) { return at(step, extra_); }
  /// Returns that label with another number for the caller.
  const Xbyak::Label &at(const MicroOp *step, int extra) {
    for (const Exit &exit : exits_)
      if (exit.step == step && exit.extra == extra && exit.inUpper == registers_.inUpper)
        return exit.label;
    return exits_.emplace_back(Exit{step, extra, registers_.inUpper, {}}).label;
  }
  /// Returns all requested exits, whose code is emitted at the end.
  std::deque<Exit> &all() { return exits_; }

private:
  const HostRegisters &registers_;
  int extra_ = 0;
  std::deque<Exit> exits_; ///< a deque, because labels must not move
};

} // namespace copse::ipud
