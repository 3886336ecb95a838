#pragma once

#include <cstdint>
#include <string_view>

namespace copse::isa {

/// Why a context stopped, with the number that ETYPE of its status register shows.
enum class Exception : std::uint8_t {
  None = 0,
  RetirementBreak = 1,
  PatchedBreak0 = 2,
  PatchedBreak1 = 3,
  BreakOnSync = 4,
  FloatingPoint = 5,
  Conflict = 6,
  ExchangeConflict = 7,
  InvalidAddress = 8,
  InvalidOperand = 9,
  InvalidPc = 10,
  DataBreak = 11,
  InvalidInstruction = 12,
  ExchangeError = 13,
  MemoryError = 14,
  InstructionBreak = 15
};

/// The architecture's name, such as "TEXCPT_INVALID_ADDR".
std::string_view nameOf(Exception exception);

/// Breaks of a debugger, from which a context can go on.
bool isDebug(Exception exception);

} // namespace copse::isa
