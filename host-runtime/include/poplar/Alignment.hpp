#pragma once

#include <cstddef>

namespace poplar {

/// Returns the alignment of a host buffer that data reaches fastest [bytes]; no buffer must have
/// it.
constexpr std::size_t preferredHostAlignment() { return 64; }

} // namespace poplar
