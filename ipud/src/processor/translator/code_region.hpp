#pragma once

#include "processor/translator/code_body.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::ipud {

/// Where control goes after an issue. Near means to another issue of the page.
enum class Flow : std::uint8_t {
  Next,    ///< to the next issue
  Leave,   ///< to the interpreter, which executes the issue
  Jump,    ///< near jump
  Call,    ///< near call
  Test,    ///< to the next issue, or along a near branch
  TestFar, ///< to the next issue; the interpreter executes a taken branch
  Count,   ///< to the next issue, or along a near branch that counts down
  Repeat,  ///< to the next issue, or past a body that lies in the page
  Return   ///< to the address in a register
};

/// The code of a page that control can reach from some of its words without leaving the page. The
/// main halves that decide where control goes are omitted from `issues`.
class CodeRegion : public CodeBody {
public:
  /// A branch, call or repeat.
  struct Control {
    Flow flow = Flow::Next;
    const MicroOp *step = nullptr; ///< its step, unless the flow is Next or Leave
    isa::Instruction main;         ///< the instruction of the step
  };

  explicit CodeRegion(const CodePage &of) : CodeBody(of) {}
  void add(Issue issue, const Control &control);

  /// Returns the index of the issue at \p word; kNone if the region lacks it.
  std::size_t find(std::uint32_t word) const;
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::vector<Control> controls; ///< shape [issues]
};

/// Returns the regions of \p page that can be reached from \p entries, words at which instructions
/// start. Entries that reach a common issue share a region.
std::vector<CodeRegion> regionsOf(const CodePage &page, const Chip &chip,
                                  std::span<const std::uint32_t> entries);

/// Returns the target step of a near branch.
const MicroOp *targetOf(const MicroOp &branch);

/// Returns the loop that starts at \p word with a step EnterLoop; null if there is none.
const CodeLoop *loopAt(const CodePage &page, std::uint32_t word);

/// Returns true if \p issue is the last of the body of a repeat.
bool endsRepeat(const CodePage &page, const Issue &issue);

} // namespace copse::ipud
