#pragma once

#include "poplar/HalfFloat.hpp"
#include "poplar/Loops.hpp"
#include "poplar/VectorTypes.hpp"
