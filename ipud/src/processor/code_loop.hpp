#pragma once

#include "isa/instruction.hpp"

#include <cstdint>
#include <span>

namespace copse::ipud {

struct Issue;

/// A loop without other control flow: the body of a repeat, or what a branch goes back over.
struct CodeLoop {
  std::uint32_t first = 0; ///< word of the first instruction or bundle
  std::uint32_t end = 0;   ///< word after the last; the branch, if there is one, is the last
  bool isRepeat = false;
  isa::Opcode branch = isa::Opcode::Invalid; ///< of one that is no repeat
  std::uint8_t tested = 0;                   ///< main register that the branch looks at
};

/// Whether a loop's body may have \p issue: all that can go wrong with it is a fault.
bool isStraight(const Issue &issue);

/// The loop that \p issues[last], a branch backwards, closes.
/// \param address  of word 0
/// \returns a loop whose end is 0 if the branch closes none, or other control flow stands in it
CodeLoop loopClosedBy(std::span<const Issue> issues, std::size_t last, std::uint32_t address);

} // namespace copse::ipud
