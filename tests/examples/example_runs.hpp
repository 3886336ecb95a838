#pragma once

#include "child_process.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace copse::test {

using namespace std::chrono_literals;
using Environment = std::map<std::string, std::string>;

inline nlohmann::json resultsIn(const std::string &file) {
  std::ifstream stream(file);
  return nlohmann::json::parse(stream, nullptr, false);
}

/// Runs an example to its end and reads the results that it wrote.
inline nlohmann::json runExample(std::vector<std::string> command,
                                 const Environment &environment = {}) {
  const TemporaryFolder folder;
  command.insert(command.end(), {"--json", folder.file("results.json")});
  ChildProcess program(std::move(command), environment);
  const auto code = program.wait(120s);
  EXPECT_EQ(code, 0) << program.errors();
  return code == 0 ? resultsIn(folder.file("results.json")) : nlohmann::json();
}

/// A run that must fail: its exit code and its standard error.
struct Failure {
  std::optional<int> code;
  std::string errors;
};

inline Failure failExample(std::vector<std::string> command, const Environment &environment = {}) {
  ChildProcess program(std::move(command), environment);
  const auto code = program.wait(60s);
  return {code, program.errors()};
}

} // namespace copse::test
