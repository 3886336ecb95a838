#pragma once

#include <clang-c/Index.h>
#include <string>

namespace copse::popc {

/// The full name of a type with all template arguments, defaults included, types and enumerators
/// qualified: "ns::X<float, true, ns::Mode::A>". C++ code at global scope can use it. (libclang's
/// own spelling of an explicit instantiation is the source's.)
std::string fullTypeName(CXType type);

} // namespace copse::popc
