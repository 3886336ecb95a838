#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace copse::graph {

inline constexpr std::string_view kHostFunctionPrefix = "host function ";

/// Returns true if a stream of this name belongs to a host function.
inline bool isOfHostFunction(std::string_view stream) {
  return stream.substr(0, kHostFunctionPrefix.size()) == kHostFunctionPrefix;
}

/// Returns the name of the stream that calls a function without arguments; its only row is empty.
inline std::string hostFunctionCall(const std::string &function) {
  return std::string(kHostFunctionPrefix) + function;
}

/// Return the names of the streams for the arguments of a host function. An executable knows the
/// function by these names only.
inline std::string hostFunctionInput(const std::string &function, std::size_t number) {
  return std::string(kHostFunctionPrefix) + function + ", input " + std::to_string(number);
}
inline std::string hostFunctionOutput(const std::string &function, std::size_t number) {
  return std::string(kHostFunctionPrefix) + function + ", output " + std::to_string(number);
}

} // namespace copse::graph
