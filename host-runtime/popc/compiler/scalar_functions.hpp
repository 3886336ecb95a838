#pragma once

#include <clang/AST/ASTContext.h>
#include <string>
#include <vector>

namespace copse::popc {

/// A function that tile code may call, because its arguments and its result fit into registers.
struct ScalarFunction {
  std::string symbol;  ///< the name that the tile's compiler gives it
  std::string cppName; ///< the name by which C++ code after the source can use it
  std::string result;  ///< type of the result, "void" without one
  std::vector<std::string> parameters;
};

/// Finds the functions and static members that the main file defines with external linkage and
/// without templates, and that have at most four integers and six floats or halves as parameters.
/// Functions with types of another size on the tile (long) are left out.
std::vector<ScalarFunction> findScalarFunctions(clang::ASTContext &ast);

/// Returns C++ code with an entry for each function. Its name is wire::kFunctionPrefix + symbol,
/// and it takes its arguments from the registers of the calling worker.
std::string functionEntries(const std::vector<ScalarFunction> &functions);

} // namespace copse::popc
