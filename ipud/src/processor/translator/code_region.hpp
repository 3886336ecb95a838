#pragma once

#include "processor/translator/code_body.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::ipud {

/// Where control goes behind an issue. Near: to another issue of the page.
enum class Flow : std::uint8_t {
  Next,    ///< on
  Leave,   ///< the interpreter does the issue
  Jump,    ///< near
  Call,    ///< near
  Test,    ///< on, or by a near branch
  TestFar, ///< on; the interpreter does the branch
  Count,   ///< on, or by a near branch that counts down
  Repeat,  ///< on, or behind a body that the page has as a whole
  Return   ///< to where a register says
};

/// Code of a page that control can reach from some of its words without leaving the page. The main
/// halves that decide where control goes are left out of `issues`.
class CodeRegion : public CodeBody {
public:
  /// A branch, call or repeat.
  struct Control {
    Flow flow = Flow::Next;
    const MicroOp *step = nullptr; ///< of it, unless control goes on or leaves
    isa::Instruction main;         ///< the instruction
  };

  explicit CodeRegion(const CodePage &of) : CodeBody(of) {}
  void add(Issue issue, const Control &control);

  /// The number of the issue at \p word; kNone if the region lacks it.
  std::size_t find(std::uint32_t word) const;
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::vector<Control> controls; ///< shape [issues]
};

/// The parts of \p page that can be reached from \p entries, which are words where instructions
/// start; those that reach a common issue are one.
std::vector<CodeRegion> regionsOf(const CodePage &page, const Chip &chip,
                                  std::span<const std::uint32_t> entries);

/// The step that a near branch goes to.
const MicroOp *targetOf(const MicroOp &branch);

/// The loop that starts at \p word with a step EnterLoop; null if none does.
const CodeLoop *loopAt(const CodePage &page, std::uint32_t word);

/// Whether \p issue is the last of the body of a repeat.
bool endsRepeat(const CodePage &page, const Issue &issue);

} // namespace copse::ipud
