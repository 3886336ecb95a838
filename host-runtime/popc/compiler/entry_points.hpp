#pragma once

#include "vertex_finder.hpp"

#include <string>
#include <vector>

namespace copse::popc {

/// Returns C++ text that follows the codelets' source: one exported function for each vertex class
/// (wire/codelet_abi.hpp), and checks that the compiler lays out the state as the table says.
std::string entryPoints(const std::vector<FoundVertex> &vertices);

/// Returns the text that follows the entry points: the module's description, and pointers that the
/// program that runs the codelets sets.
/// \param isC  true for text in C, false for C++
std::string runtimeSymbols(const std::string &moduleInfo, bool isC);

} // namespace copse::popc
