#pragma once

#include <clang-c/Index.h>
#include <string>

namespace copse::popc {

/// Returns the full name of a type: "ns::X<float, true, ns::Mode::A>". It has all template
/// arguments, including defaults, and qualified types and enumerators, so that C++ code at global
/// scope can use it. (libclang spells an explicit instantiation as the source does.)
std::string fullTypeName(CXType type);

} // namespace copse::popc
