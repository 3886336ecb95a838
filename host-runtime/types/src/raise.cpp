#include "types/raise.hpp"

#include "poplar/exceptions.hpp"

namespace copse::types {

using wire::Code;

void raise(const wire::Status &status) {
  switch (status.code) {
  case Code::VertexFault: // the user's program is at fault
  case Code::HostFault:
  case Code::NotFound:
    throw poplar::application_runtime_error(status.message);
  case Code::Timeout:
  case Code::Held:
  case Code::Disconnected: // likely to pass: the caller may reset and run again
    throw poplar::recoverable_runtime_error(poplar::RecoveryAction::PARTITION_RESET,
                                            status.message);
  case Code::MemoryError: // the chip works again after a reset
    throw poplar::recoverable_runtime_error(poplar::RecoveryAction::IPU_RESET, status.message);
  case Code::OutOfMemory:
  case Code::InvalidImage:
    throw poplar::unrecoverable_runtime_error(status.message);
  case Code::InvalidOption:
    throw poplar::invalid_option(status.message);
  case Code::Ok:
  case Code::Cancelled:
  case Code::BadFrame:
  case Code::Internal:
    break;
  }
  throw poplar::unknown_runtime_error(
      status.message); // also for a code that this build does not know
}

} // namespace copse::types
