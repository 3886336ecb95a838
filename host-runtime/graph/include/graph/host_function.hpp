#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace copse::graph {

inline constexpr std::string_view kHostFunctionPrefix = "host function ";

/// Whether a stream of this name belongs to a host function.
inline bool isOfHostFunction(std::string_view stream) {
  return stream.substr(0, kHostFunctionPrefix.size()) == kHostFunctionPrefix;
}

/// The stream whose only row is empty: a call of a function without arguments.
inline std::string hostFunctionCall(const std::string &function) {
  return std::string(kHostFunctionPrefix) + function;
}

/// The streams that the arguments of a host function travel by. Their names are all that an
/// executable knows of it.
inline std::string hostFunctionInput(const std::string &function, std::size_t number) {
  return std::string(kHostFunctionPrefix) + function + ", input " + std::to_string(number);
}
inline std::string hostFunctionOutput(const std::string &function, std::size_t number) {
  return std::string(kHostFunctionPrefix) + function + ", output " + std::to_string(number);
}

} // namespace copse::graph
