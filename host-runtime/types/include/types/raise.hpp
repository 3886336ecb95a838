#pragma once

#include "wire/result.hpp"

namespace copse::types {

/// Throws the Poplar exception for a daemon's Status. No other code does this conversion.
[[noreturn]] void raise(const wire::Status &status);

inline void raiseIfFailed(const wire::Status &status) {
  if (!status.ok())
    raise(status);
}

} // namespace copse::types
