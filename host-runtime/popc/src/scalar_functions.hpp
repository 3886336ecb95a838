#pragma once

#include <clang-c/Index.h>
#include <string>
#include <vector>

namespace copse::popc {

/// A function that tile code may call, as its arguments and its result are in registers.
struct ScalarFunction {
  std::string symbol;  ///< as the tile's compiler names it
  std::string cppName; ///< how C++ code after the source can name it
  std::string result;  ///< type, "void" if there is none
  std::vector<std::string> parameters;
};

/// The functions and static members that the main file of \p unit defines, with external linkage
/// and without templates, whose parameters are at most four integers and six floats or halves. What
/// has types that differ in size on the tile (long) is left out.
/// \param unit  parsed with bodies
std::vector<ScalarFunction> findScalarFunctions(CXCursor unit);

/// Whether findScalarFunctions() may find any, for a unit without bodies: there, what is defined
/// looks like what is only declared.
bool mayHaveScalarFunctions(CXCursor unit);

/// C++ code that gives each function an entry by the name wire::kFunctionPrefix + symbol, which
/// takes its arguments from the registers of the worker that calls it.
std::string functionEntries(const std::vector<ScalarFunction> &functions);

} // namespace copse::popc
