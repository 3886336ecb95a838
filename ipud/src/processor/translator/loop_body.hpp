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
  /// \param chip  for which the page was decoded
  LoopBody(const CodePage &of, const CodeLoop &closed, const Chip &chip);

  bool isCounted() const { return loop.branch == isa::Opcode::Brnzdec; }
  /// Returns true if the branch tests a register each time.
  bool testsRegister() const { return !loop.isRepeat && !isCounted(); }

  const MicroOp *closingStep() const { return closingStepOf(page, loop); }

  /// Returns the data that callers of the host code need, without its entry.
  NativeLoop describe() const;

  const CodeLoop &loop;
  LoopAddresses addresses;
  bool hasSkips = false;     ///< the body contains branches
  bool countsItself = false; ///< the counter is read, so host code must count it down

private:
  std::vector<bool> skippedIssues() const;
  unsigned pairOfPaces() const;
  void decideCalls();
};

} // namespace copse::ipud
