#pragma once

#include <iosfwd>
#include <string>

namespace poplar {

/// What stopped a device, in classes that a program can decide by. The text of the exception says
/// the rest.
enum class ErrorCode {
  NONE,
  UNKNOWN,
  TRAP, ///< a trap instruction, or a codelet that faulted
  INVALID_INSTRUCTION,
  FP_INVALID_OPERATION, ///< inv
  FP_DIVISION_BY_ZERO,  ///< div0
  FP_OVERFLOW,          ///< oflo
  MEMORY,               ///< an access outside tile memory, or a misaligned one
  EXCHANGE,             ///< data between tiles or IPUs was lost or did not fit
  HOST_SYNC_TIMEOUT     ///< the host did not answer in time
};

/// The enumerator's name.
std::string toString(ErrorCode code);
std::ostream &operator<<(std::ostream &out, ErrorCode code);

} // namespace poplar
