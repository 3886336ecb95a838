#pragma once

#include "processor/code_page.hpp"
#include "processor/issue.hpp"
#include "processor/translator/host_registers.hpp"

#include <vector>

namespace copse::ipud {

/// Returns the step that returns to the start of \p loop: a branch, or the end of a repeat.
inline const MicroOp *closingStepOf(const CodePage &page, const CodeLoop &loop) {
  return &page.steps[page.start[loop.end] - 1U];
}

/// The instructions of a page that are translated together, a loop or a region, and the properties
/// that the emitters ask for: registers, calls, kinds of instructions. Subclasses fill it in; it
/// does not change afterwards.
class CodeBody {
public:
  /// Returns true if host code calls the interpreter's function of \p i.
  bool isCalled(const isa::Instruction &i) const;

  /// Returns the first step of an issue.
  const MicroOp *stepOf(const Issue &issue) const;
  const MicroOp *endOf(const Issue &issue) const {
    return &page.steps[page.start[issue.word + issue.words]];
  }
  /// Returns the step of an aux half that calls a function.
  const MicroOp *auxStepOf(const Issue &issue) const;

  const CodePage &page;
  std::vector<Issue> issues; ///< ascending
  bool calls = false;        ///< some instruction calls a function of the interpreter
  bool hasMatrix = false;    ///< some instruction is a MatrixCall with host code
  /// The only pair of main registers with packed addresses that host code uses.
  unsigned paced = HostRegisters::kNone;
  RegisterSet read = 0, written = 0;

protected:
  /// Keeps a reference.
  explicit CodeBody(const CodePage &of) : page(of) {}
  ~CodeBody() = default;
  void countRegisters(const isa::Instruction &i);
};

} // namespace copse::ipud
