#pragma once

#include "example_runs.hpp"

namespace copse::test {

inline std::vector<std::string> digitsCommand(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), DIGITS_PROGRAM);
  return arguments;
}

inline nlohmann::json runDigits(std::vector<std::string> arguments,
                                const Environment &environment = {}) {
  return runExample(digitsCommand(std::move(arguments)), environment);
}

inline Failure failDigits(std::vector<std::string> arguments, const Environment &environment = {}) {
  return failExample(digitsCommand(std::move(arguments)), environment);
}

} // namespace copse::test
