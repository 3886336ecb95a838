#pragma once

#include "tile/codelet_context.hpp"

#include <cstdint>

namespace copse::ipud {

/// Calls native code in the midst of frames of ours, which have to end in order if it faults or is
/// interrupted.
/// \returns what it returned
/// \throws LeftCodelet where it did not return, or what it throws
bool callContained(CodeletContext &context, const EntryPoint &function, void *state,
                   std::uint32_t worker);

} // namespace copse::ipud
