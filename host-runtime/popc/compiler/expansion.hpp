#pragma once

#include <string>
#include <vector>

namespace copse::popc {

struct Expansion {
  std::string text;
  bool testsIpu = false; ///< without __IPU__ the text might be another
};

/// Expands the includes and macros of a source, as `clang -E -` does that reads it. Messages and
/// the search path of headers (include_folders.hpp) go to the standard error.
/// \param arguments  for clang
/// \param headerOfBuiltins  a header whose tests of __IPU__ do not count
/// \throws std::runtime_error  if the source has errors
Expansion expanded(const std::string &source, const std::vector<std::string> &arguments,
                   const std::string &headerOfBuiltins);

} // namespace copse::popc
