#pragma once

#include "processor/code_page.hpp"
#include "processor/issue.hpp"
#include "processor/translator/host_registers.hpp"

#include <vector>

namespace copse::ipud {

/// The step that goes back to the first of \p loop: of a branch, or the end of a repeat.
inline const MicroOp *closingStepOf(const CodePage &page, const CodeLoop &loop) {
  return &page.steps[page.start[loop.end] - 1U];
}

/// Instructions of a page that become one piece of host code, and the facts known of them.
class CodeBody {
public:
  /// Whether host code calls the interpreter's function of \p i.
  bool isCalled(const isa::Instruction &i) const;

  /// The first of an issue's own.
  const MicroOp *stepOf(const Issue &issue) const;
  const MicroOp *endOf(const Issue &issue) const {
    return &page.steps[page.start[issue.word + issue.words]];
  }
  /// The step of an aux half that calls a function.
  const MicroOp *auxStepOf(const Issue &issue) const;

  const CodePage &page;
  std::vector<Issue> issues; ///< ascending
  bool calls = false;        ///< functions of the interpreter
  bool hasMatrix = false;    ///< MatrixCalls of which host code is made
  /// The one pair of main registers with packed addresses, of which host code is made.
  unsigned paced = HostRegisters::kNone;
  RegisterSet read = 0, written = 0;

protected:
  /// Keeps a reference.
  explicit CodeBody(const CodePage &of) : page(of) {}
  ~CodeBody() = default;
  void countRegisters(const isa::Instruction &i);
};

} // namespace copse::ipud
