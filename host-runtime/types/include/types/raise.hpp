#pragma once

#include "wire/result.hpp"

namespace copse::types {

/// The only place where a daemon's Status becomes a Poplar exception.
[[noreturn]] void raise(const wire::Status &status);

inline void raiseIfFailed(const wire::Status &status) {
  if (!status.ok())
    raise(status);
}

} // namespace copse::types
