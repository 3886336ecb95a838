#pragma once

#include <span>
#include <string>
#include <vector>

namespace copse::types {

/// What is wrong with the variables of an environment whose names begin with COPSE_: names that nothing reads, values that are
/// not taken, and variables that have no effect without another. Those of tests, COPSE_TEST_..., are left alone.
/// \param environment  "NAME=value" each
std::vector<std::string> environmentWarnings(std::span<const std::string> environment);

/// The same of this process.
std::vector<std::string> environmentWarnings();

} // namespace copse::types
