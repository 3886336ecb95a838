#pragma once

#include "poplar/StringRef.hpp"

#include <iosfwd>
#include <string>

namespace poplar {

/// Classes of errors that stop a device, by which a program can decide. The text of the exception
/// says the rest.
enum class ErrorCode {
  /// No error.
  NONE,
  /// None of the other classes.
  UNKNOWN,
  TRAP, ///< a trap instruction, or a codelet that faulted
  /// A floating-point operation without a result, such as 0/0, if the program treats that as an
  /// error.
  FLOATING_POINT_INVALID_OPERATION,
  /// A division by zero, if the program treats that as an error.
  FLOATING_POINT_DIVIDE_BY_ZERO,
  /// A floating-point result that is too large, if the program treats that as an error.
  FLOATING_POINT_OVERFLOW,
  TILE_MEMORY_BANK_CONFLICT, ///< two accesses of one cycle to one memory element
  /// An exchange that does not fit what its tiles expect.
  INVALID_EXCHANGE_CONFIGURATION,
  INVALID_ADDRESS, ///< an access outside tile memory, or a misaligned one
  /// An instruction with an operand that it does not accept.
  INVALID_OPERAND,
  /// A program counter outside code.
  INVALID_PROGRAM_COUNTER,
  /// Bits that are not an instruction.
  INVALID_INSTRUCTION,
  EXCHANGE_ERROR, ///< data between tiles or IPUs was lost or did not fit
  MEMORY_ERROR,   ///< a parity error of tile memory
  IPUSOFTERR,     ///< the IPU lost its state, and has it again after a reset
  LINK_DOWN,      ///< an IPU-Link is down
  /// The connection between host and IPU is down.
  HOST_LINK_DOWN,
  HOST_SYNC_TIMEOUT, ///< the host did not answer in time
  IPU_MEMORY_FAILURE ///< tile memory that no reset repairs
};

///@{

/// Returns the enumerator's name.
std::string toString(ErrorCode code);
std::string errorCodeToString(ErrorCode code);
///@}

/// Returns the enumerator of a name.
/// \throws poplar_error if no enumerator has this name
ErrorCode errorCodeFromString(StringRef name);
/// Writes the enumerator's name.
std::ostream &operator<<(std::ostream &out, ErrorCode code);

} // namespace poplar
