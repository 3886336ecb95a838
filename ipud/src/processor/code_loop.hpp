#pragma once

#include "isa/instruction.hpp"

#include <cstdint>
#include <span>

namespace copse::ipud {

struct Issue;

/// A loop that can run as one unit: the body of a repeat, or the code between a backward branch and
/// its target. Its only other control flow are forward branches that skip a part of a turn.
struct CodeLoop {
  std::uint32_t first = 0; ///< word of the first instruction or bundle
  std::uint32_t end = 0;   ///< word after the last instruction; a closing branch is the last
  bool isRepeat = false;
  isa::Opcode branch = isa::Opcode::Invalid; ///< the closing branch, unless the loop is a repeat
  std::uint8_t tested = 0;                   ///< main register that the branch tests
};

/// Returns true if a loop's body may contain \p issue: it has no effect on control flow but a
/// fault.
bool isStraight(const Issue &issue);

/// Returns true for a branch on a main register that does not change the register.
bool isCondition(isa::Opcode opcode);

/// Returns true if \p issue is a forward branch that a body may contain.
/// \param address  address of word 0
bool isSkip(const Issue &issue, std::uint32_t address);
/// Returns the word that a skip jumps to.
std::uint32_t targetOfSkip(const Issue &issue, std::uint32_t address);

/// Returns the loop that \p issues[last], a backward branch, closes.
/// \param address  address of word 0
/// \returns a loop whose end is 0 if the branch closes none, or if the body has other control flow
CodeLoop loopClosedBy(std::span<const Issue> issues, std::size_t last, std::uint32_t address);

} // namespace copse::ipud
