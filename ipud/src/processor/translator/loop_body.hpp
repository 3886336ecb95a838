#pragma once

#include "processor/code_page.hpp"
#include "processor/issue.hpp"
#include "processor/native_loop.hpp"
#include "processor/translator/host_registers.hpp"
#include "processor/translator/loop_addresses.hpp"

#include <vector>

namespace copse::ipud {

/// The instructions of one turn of a loop, and the facts known of them.
class LoopBody {
public:
  /// Keeps references to \p of and \p closed.
  /// \param chip  that the page was decoded for
  LoopBody(const CodePage &of, const CodeLoop &closed, const Chip &chip);

  bool isCounted() const { return loop.branch == isa::Opcode::Brnzdec; }
  /// Whether the branch looks at a register each time.
  bool testsRegister() const { return !loop.isRepeat && !isCounted(); }

  /// Whether host code calls the interpreter's function of \p i.
  bool isCalled(const isa::Instruction &i) const;

  /// The step that goes back to the first: of a branch, or the end of a repeat.
  const MicroOp *closingStep() const { return &page.steps[page.start[loop.end] - 1U]; }
  /// The first of an issue's own.
  const MicroOp *stepOf(const Issue &issue) const;
  const MicroOp *endOf(const Issue &issue) const {
    return &page.steps[page.start[issue.word + issue.words]];
  }
  /// The step of an aux half that calls a function.
  const MicroOp *auxStepOf(const Issue &issue) const;

  /// The data that callers of the host code need; its entry is still to be made.
  NativeLoop describe() const;

  const CodePage &page;
  const CodeLoop &loop;
  std::vector<Issue> issues; ///< without the branch that closes the loop
  LoopAddresses addresses;
  bool calls = false;     ///< functions of the interpreter
  bool hasMatrix = false; ///< MatrixCalls of which host code is made
  /// The one pair of main registers with packed addresses, of which host code is made.
  unsigned paced = HostRegisters::kNone;
  bool hasSkips = false;     ///< branches inside
  bool countsItself = false; ///< the counter is read, so that host code counts it down
  RegisterSet read = 0, written = 0;

private:
  void readIssues(const Chip &chip);
  std::vector<bool> skippedIssues() const;
  void countRegisters(const isa::Instruction &i);
  unsigned pairOfPaces() const;
  void decideCalls();
};

} // namespace copse::ipud
