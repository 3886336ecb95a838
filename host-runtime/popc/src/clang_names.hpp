#pragma once

#include <clang-c/Index.h>
#include <functional>
#include <string>

namespace copse::popc {

/// Converts a string of libclang and frees it.
std::string taken(CXString text);

inline CXType canonicalType(CXCursor cursor) {
  return clang_getCanonicalType(clang_getCursorType(cursor));
}

/// Calls \p visit with every child of \p cursor, in order.
void forEachChild(CXCursor cursor, const std::function<void(CXCursor)> &visit);
/// Calls \p visit with every field that the class itself declares, in order. Instantiations of
/// templates are classes, too.
void forEachField(CXType type, const std::function<void(CXCursor)> &visit);

/// Returns the name of a class of namespace poplar ("Input"), or "" for any other type.
std::string poplarClass(CXType type);

} // namespace copse::popc
