#pragma once

#include "child_process.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// Fixtures for tests of the command copse. The build defines TOOLS_FOLDER.
namespace copse::test {

namespace fs = std::filesystem;

/// Runs commands in a runtime directory of their own, and ends daemons that still run at the end.
class CopseUp : public ::testing::Test {
protected:
  struct Outcome {
    std::optional<int> code;
    std::string output, errors;
  };
  ~CopseUp() override { copse({"down"}); }

  std::map<std::string, std::string> environment() const {
    return {{"XDG_RUNTIME_DIR", folder_.path().string()}, {"COPSE_CLUSTER", ""}};
  }
  Outcome copse(std::vector<std::string> words) const { return run("copse", std::move(words)); }
  Outcome run(const std::string &tool, std::vector<std::string> words) const {
    words.insert(words.begin(), std::string(TOOLS_FOLDER) + "/" + tool);
    ChildProcess process(std::move(words), environment());
    const auto code = process.wait(std::chrono::seconds(60));
    return {code, process.output(), process.errors()};
  }
  Outcome onCluster(const std::string &tool, std::vector<std::string> words) const {
    words.insert(words.begin(), {"run", std::string(TOOLS_FOLDER) + "/" + tool});
    return copse(std::move(words));
  }
  nlohmann::json status(int code = 0) const {
    const Outcome outcome = copse({"status", "--json"});
    EXPECT_EQ(outcome.code, code) << outcome.errors;
    return nlohmann::json::parse(outcome.output, nullptr, false);
  }
  std::vector<pid_t> pids() const {
    std::vector<pid_t> all;
    const nlohmann::json now = status();
    for (const nlohmann::json &ipu : now["ipus"])
      all.push_back(ipu["pid"]);
    return all;
  }
  const fs::path &folder() const { return folder_.path(); }
  fs::path directory() const { return folder_.path() / "copse"; }

private:
  TemporaryFolder folder_;
};

} // namespace copse::test
