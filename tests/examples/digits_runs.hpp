#pragma once

#include "child_process.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace copse::test {

using namespace std::chrono_literals;
using Environment = std::map<std::string, std::string>;

inline std::vector<std::string> digitsCommand(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), DIGITS_PROGRAM);
  return arguments;
}

/// Runs the program to its end and reads the results that it wrote.
inline nlohmann::json runDigits(std::vector<std::string> arguments,
                                const Environment &environment = {}) {
  const TemporaryFolder folder;
  arguments.insert(arguments.end(), {"--json", folder.file("results.json")});
  ChildProcess digits(digitsCommand(std::move(arguments)), environment);
  const auto code = digits.wait(120s);
  EXPECT_EQ(code, 0) << digits.errors();
  if (code != 0)
    return {};
  std::ifstream file(folder.file("results.json"));
  return nlohmann::json::parse(file);
}

/// A run that must fail: its exit code and what it printed to standard error.
struct Failure {
  std::optional<int> code;
  std::string errors;
};

inline Failure failDigits(std::vector<std::string> arguments, const Environment &environment = {}) {
  ChildProcess digits(digitsCommand(std::move(arguments)), environment);
  const auto code = digits.wait(60s);
  return {code, digits.errors()};
}

} // namespace copse::test
