#pragma once

#include "poplar/HalfFloat.hpp"
#include "poplar/VectorTypes.hpp"

/// A count that fits the repeat counter of the tile.
typedef unsigned rptsize_t;
