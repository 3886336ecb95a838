#pragma once
// Cap'n Proto 0.9 compares `const char *` with its strings through C++20's reversed operators. From
// version 16 on (P2468), clang does not consider these if there is an operator!=. Therefore these
// operators are included before Cap'n Proto's headers when clang compiles them.
#include <kj/string.h>

namespace kj {
inline bool operator==(const char *a, const StringPtr &b) { return b == StringPtr(a); }
inline bool operator!=(const char *a, const StringPtr &b) { return !(b == StringPtr(a)); }
} // namespace kj
