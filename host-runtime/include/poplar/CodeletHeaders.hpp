#pragma once

// The headers that codelets use without asking for them. The tile's library is libc++, most of
// whose headers bring these, and brings the functions of <math.h> for floats, too. popc includes
// this file before each source in C++.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <math.h>
#include <string.h>
#include <type_traits>
#include <utility>
