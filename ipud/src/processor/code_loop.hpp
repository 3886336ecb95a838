#pragma once

#include "isa/instruction.hpp"

#include <cstdint>
#include <span>

namespace copse::ipud {

struct Issue;

/// A loop whose only other control flow are branches that skip a part of a turn: the body of a
/// repeat, which has none, or what a branch goes back over.
struct CodeLoop {
  std::uint32_t first = 0; ///< word of the first instruction or bundle
  std::uint32_t end = 0;   ///< word after the last; the branch, if there is one, is the last
  bool isRepeat = false;
  isa::Opcode branch = isa::Opcode::Invalid; ///< of one that is no repeat
  std::uint8_t tested = 0;                   ///< main register that the branch looks at
};

/// Whether a loop's body may have \p issue: all that can go wrong with it is a fault.
bool isStraight(const Issue &issue);

/// Branches on a main register, which leave it as it is.
bool isCondition(isa::Opcode opcode);

/// Whether \p issue is a branch forwards that may stand in a body.
/// \param address  of word 0
bool isSkip(const Issue &issue, std::uint32_t address);
/// The word that a skip goes to.
std::uint32_t targetOfSkip(const Issue &issue, std::uint32_t address);

/// The loop that \p issues[last], a branch backwards, closes.
/// \param address  of word 0
/// \returns a loop whose end is 0 if the branch closes none, or other control flow stands in it
CodeLoop loopClosedBy(std::span<const Issue> issues, std::size_t last, std::uint32_t address);

} // namespace copse::ipud
