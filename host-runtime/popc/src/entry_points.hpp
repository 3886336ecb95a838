#pragma once

#include "vertex_finder.hpp"

#include <string>
#include <vector>

namespace copse::popc {

/// C++ text to stand after the codelets' own: an exported function per vertex class
/// (wire/codelet_abi.hpp), checks that the compiler lays the state out as the table says, and the
/// module's description.
std::string entryPoints(const std::vector<FoundVertex> &vertices, const std::string &moduleInfo);

} // namespace copse::popc
