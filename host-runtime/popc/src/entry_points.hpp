#pragma once

#include "vertex_finder.hpp"

#include <string>
#include <vector>

namespace copse::popc {

/// Stands in the entry points of a source that has a SupervisorVertex.
inline constexpr char kSupervisorMark[] = "struct OfSupervisor;";

/// C++ text to stand after the codelets' own: an exported function per vertex class
/// (wire/codelet_abi.hpp), and checks that the compiler lays the state out as the table says.
std::string entryPoints(const std::vector<FoundVertex> &vertices);

/// What stands behind that: the module's description, and pointers that are set by what runs the codelets.
/// \param isC  as C, else as C++
std::string runtimeSymbols(const std::string &moduleInfo, bool isC);

} // namespace copse::popc
