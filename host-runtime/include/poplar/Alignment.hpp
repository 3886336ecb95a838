#pragma once

#include <cstddef>

namespace poplar {

/// Returns the alignment with which host buffers are copied fastest [bytes]. Buffers may have any
/// other alignment.
constexpr std::size_t preferredHostAlignment() { return 64; }

} // namespace poplar
