/* The constants of the tile under the name that assembly and builtins include. */
#ifndef ARCH_GC_TILE_DEFINES_H
#define ARCH_GC_TILE_DEFINES_H

#include "poplar/TileConstants.hpp"

#endif
