#pragma once

#include "poplar/HalfFloat.hpp"
#include "poplar/Loops.hpp"
#include "poplar/VectorTypes.hpp"

// The tile's library has the functions of float at global scope, too.
#include <cmath>
#include <math.h>
