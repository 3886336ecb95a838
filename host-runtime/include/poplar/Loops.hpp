#pragma once

/// A count that fits the repeat counter of the tile: loops that are to become hardware loops should
/// count with it.
typedef unsigned rptsize_t;

namespace poplar {
using ::rptsize_t;
} // namespace poplar
