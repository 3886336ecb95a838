#include "simulated_errors.hpp"

#include "poplar/exceptions.hpp"
#include "types/raise.hpp"

#include <algorithm>

namespace copse::engine {
namespace {

using poplar::ErrorCode;
using wire::Code;

/// Returns the code that a daemon reports when a device has this error.
Code codeOf(ErrorCode error) {
  switch (error) {
  case ErrorCode::TRAP:
  case ErrorCode::FLOATING_POINT_INVALID_OPERATION:
  case ErrorCode::FLOATING_POINT_DIVIDE_BY_ZERO:
  case ErrorCode::FLOATING_POINT_OVERFLOW:
  case ErrorCode::TILE_MEMORY_BANK_CONFLICT:
  case ErrorCode::INVALID_EXCHANGE_CONFIGURATION:
  case ErrorCode::INVALID_ADDRESS:
  case ErrorCode::INVALID_OPERAND:
  case ErrorCode::INVALID_PROGRAM_COUNTER:
  case ErrorCode::INVALID_INSTRUCTION:
    return Code::VertexFault;
  case ErrorCode::MEMORY_ERROR:
  case ErrorCode::IPUSOFTERR:
    return Code::MemoryError;
  case ErrorCode::EXCHANGE_ERROR:
  case ErrorCode::LINK_DOWN:
  case ErrorCode::HOST_LINK_DOWN:
    return Code::Disconnected;
  case ErrorCode::IPU_MEMORY_FAILURE:
    return Code::OutOfMemory;
  case ErrorCode::HOST_SYNC_TIMEOUT:
    return Code::Timeout;
  case ErrorCode::NONE:
  case ErrorCode::UNKNOWN:
    break;
  }
  return Code::Internal;
}

} // namespace

void SimulatedErrors::insert(ErrorCode error) {
  if (error == ErrorCode::NONE)
    throw poplar::poplar_error("insertSimulatedError: NONE is no error");
  if (std::find(errors_.begin(), errors_.end(), error) == errors_.end())
    errors_.push_back(error);
}

void SimulatedErrors::raise() const {
  if (!errors_.empty())
    types::raise({codeOf(errors_.front()),
                  "simulated error " + poplar::toString(errors_.front()) +
                      ", which this program inserted; see Engine::clearSimulatedErrors"});
}

} // namespace copse::engine
