#pragma once

#include "poplar/exceptions.hpp"
#include "wire/environment.hpp"

#include <utility>

namespace copse::types {

/// Returns the value that a function of wire/environment.hpp has read.
/// \throws poplar::no_environment if the variable has an invalid value
template <class Value> Value requireEnvironment(wire::Result<Value> read) {
  if (!read)
    throw poplar::no_environment(read.status().message);
  return std::move(*read);
}

} // namespace copse::types
