#pragma once

// The headers that codelets use without including them. The tile's library is libc++, most of whose
// headers include these; libc++ also has the functions of <math.h> for floats. popc includes this
// file before each source in C++.
#include <cstddef>
// libc++ has no special functions of C++17, such as std::beta. libstdc++ instantiates all of them
// in each source, which would take a fifth of the time to read it.
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <math.h>
#include <string.h>
#include <type_traits>
#include <utility>
