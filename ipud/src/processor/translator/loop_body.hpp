#pragma once

#include "processor/native_loop.hpp"
#include "processor/translator/code_body.hpp"
#include "processor/translator/loop_addresses.hpp"

#include <vector>

namespace copse::ipud {

/// The instructions of one turn of a loop, without the branch that closes it.
class LoopBody : public CodeBody {
public:
  /// Keeps references to \p of and \p closed.
  /// \param chip  that the page was decoded for
  LoopBody(const CodePage &of, const CodeLoop &closed, const Chip &chip);

  bool isCounted() const { return loop.branch == isa::Opcode::Brnzdec; }
  /// Whether the branch looks at a register each time.
  bool testsRegister() const { return !loop.isRepeat && !isCounted(); }

  const MicroOp *closingStep() const { return closingStepOf(page, loop); }

  /// The data that callers of the host code need; its entry is still to be made.
  NativeLoop describe() const;

  const CodeLoop &loop;
  LoopAddresses addresses;
  bool hasSkips = false;     ///< branches inside
  bool countsItself = false; ///< the counter is read, so that host code counts it down

private:
  std::vector<bool> skippedIssues() const;
  unsigned pairOfPaces() const;
  void decideCalls();
};

} // namespace copse::ipud
