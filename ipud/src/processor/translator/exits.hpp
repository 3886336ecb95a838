#pragma once

#include "processor/core.hpp"

#include <deque>
#include <xbyak/xbyak.h>

namespace copse::ipud {

/// Where host code goes back to the interpreter: one place for each step that it goes on with.
class Exits {
public:
  struct Exit {
    const MicroOp *step;
    Xbyak::Label label;
  };

  /// Where to jump if \p step is next, with all registers as before it.
  const Xbyak::Label &at(const MicroOp *step) {
    for (const Exit &exit : exits_)
      if (exit.step == step)
        return exit.label;
    return exits_.emplace_back(Exit{step, {}}).label;
  }
  /// All that were asked for, for the code behind them.
  std::deque<Exit> &all() { return exits_; }

private:
  std::deque<Exit> exits_; ///< labels must not move
};

} // namespace copse::ipud
