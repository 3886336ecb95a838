#pragma once

/// A count that fits the repeat counter of the tile: what loops should count with that are to
/// become hardware loops.
typedef unsigned rptsize_t;

namespace poplar {
using ::rptsize_t;
} // namespace poplar
