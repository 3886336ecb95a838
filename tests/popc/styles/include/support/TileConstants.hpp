// A library's own header of the same name as Poplar's.
#ifndef SUPPORT_TILE_CONSTANTS_HPP
#define SUPPORT_TILE_CONSTANTS_HPP
#include "poplar/TileConstants.hpp"
#endif
