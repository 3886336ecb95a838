#pragma once

#include "poplar/ArrayRef.hpp" // which gives it this name, too
