#pragma once

#include <cstdint>
#include <string_view>

namespace copse::isa {

/// The reason why a context stopped. The numbers equal ETYPE in the status register.
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

/// Returns the architectural name, such as "TEXCPT_INVALID_ADDR".
std::string_view nameOf(Exception exception);

/// Returns true for a debugger's break, after which a context can continue.
bool isDebug(Exception exception);

} // namespace copse::isa
