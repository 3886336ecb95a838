#pragma once
// Cap'n Proto 0.9 compares `const char *` with its strings by C++20's reversed operators, which clang from 16 on (P2468)
// does not consider where there is an operator!=. So these stand before its headers when clang compiles them.
#include <kj/string.h>

namespace kj {
inline bool operator==(const char *a, const StringPtr &b) { return b == StringPtr(a); }
inline bool operator!=(const char *a, const StringPtr &b) { return !(b == StringPtr(a)); }
} // namespace kj
