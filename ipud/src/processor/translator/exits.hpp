#pragma once

#include "processor/core.hpp"
#include "processor/translator/host_registers.hpp"

#include <deque>
#include <xbyak/xbyak.h>

namespace copse::ipud {

/// Where host code goes back to the interpreter: one place for each step that it goes on with, and
/// for each state of the host's registers.
class Exits {
public:
  struct Exit {
    const MicroOp *step;
    int extra;
    unsigned inUpper; ///< HostRegisters::inUpper
    Xbyak::Label label;
  };

  /// Keeps a reference.
  explicit Exits(const HostRegisters &registers) : registers_(registers) {}

  /// From now on, the caller of the host code is told \p number beside the step: of a loop, the turns
  /// that are left beside those of r13; of a region, its NativeRegion::How.
  void setExtra(int number) { extra_ = number; }
  /// Where to jump if \p step is next, with all registers as before it.
  const Xbyak::Label &at(const MicroOp *step) { return at(step, extra_); }
  /// The same where the caller is told another number.
  const Xbyak::Label &at(const MicroOp *step, int extra) {
    for (const Exit &exit : exits_)
      if (exit.step == step && exit.extra == extra && exit.inUpper == registers_.inUpper)
        return exit.label;
    return exits_.emplace_back(Exit{step, extra, registers_.inUpper, {}}).label;
  }
  /// All that were asked for, for the code behind them.
  std::deque<Exit> &all() { return exits_; }

private:
  const HostRegisters &registers_;
  int extra_ = 0;
  std::deque<Exit> exits_; ///< labels must not move
};

} // namespace copse::ipud
