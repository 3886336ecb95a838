#pragma once

#include "tile/codelet_context.hpp"

#include <cstdint>

namespace copse::ipud {

/// Calls native code from within our own frames, which must be unwound if the code faults or is
/// interrupted.
/// \returns the result of the code
/// \throws LeftCodelet if the code did not return, or what the code throws
bool callContained(CodeletContext &context, const EntryPoint &function, void *state,
                   std::uint32_t worker);

} // namespace copse::ipud
