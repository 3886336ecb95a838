#pragma once

#include <cstddef>
#include <string>

namespace copse::graph {

/// The streams that the arguments of a host function travel by. Their names are all that an
/// executable knows of it.
inline std::string hostFunctionInput(const std::string &function, std::size_t number) {
  return "host function " + function + ", input " + std::to_string(number);
}
inline std::string hostFunctionOutput(const std::string &function, std::size_t number) {
  return "host function " + function + ", output " + std::to_string(number);
}

} // namespace copse::graph
