#pragma once

#include "poplar/StringRef.hpp"

#include <iosfwd>
#include <string>

namespace poplar {

/// What stopped a device, in classes that a program can decide by. The text of the exception says
/// the rest.
enum class ErrorCode {
  NONE,
  UNKNOWN,
  TRAP, ///< a trap instruction, or a codelet that faulted
  FLOATING_POINT_INVALID_OPERATION,
  FLOATING_POINT_DIVIDE_BY_ZERO,
  FLOATING_POINT_OVERFLOW,
  TILE_MEMORY_BANK_CONFLICT, ///< two accesses of one cycle to one memory element
  INVALID_EXCHANGE_CONFIGURATION,
  INVALID_ADDRESS, ///< an access outside tile memory, or a misaligned one
  INVALID_OPERAND,
  INVALID_PROGRAM_COUNTER,
  INVALID_INSTRUCTION,
  EXCHANGE_ERROR, ///< data between tiles or IPUs was lost or did not fit
  MEMORY_ERROR,   ///< a parity error of tile memory
  IPUSOFTERR,     ///< the IPU lost its state, and has it again after a reset
  LINK_DOWN,      ///< an IPU-Link
  HOST_LINK_DOWN,
  HOST_SYNC_TIMEOUT, ///< the host did not answer in time
  IPU_MEMORY_FAILURE ///< tile memory that no reset mends
};

/// The enumerator's name.
std::string toString(ErrorCode code);
/// The same.
std::string errorCodeToString(ErrorCode code);
/// \throws poplar_error if no enumerator has this name
ErrorCode errorCodeFromString(StringRef name);
std::ostream &operator<<(std::ostream &out, ErrorCode code);

} // namespace poplar
