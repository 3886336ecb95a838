#pragma once

#include <clang/AST/DeclCXX.h>
#include <string>
#include <vector>

namespace copse::popc {

/// Returns the texts of [[poplar::constraint(...)]] of a class (guide, 3.2.2). Clang keeps this
/// attribute because the linked program registers it.
std::vector<std::string> constraintsOf(const clang::CXXRecordDecl &record);

} // namespace copse::popc
