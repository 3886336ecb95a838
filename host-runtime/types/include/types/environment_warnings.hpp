#pragma once

#include <span>
#include <string>
#include <vector>

namespace copse::types {

/// Returns the faults of the variables of an environment whose names begin with COPSE_: names that
/// nothing reads, values that are not taken, and variables that have no effect without another.
/// Variables of tests, COPSE_TEST_..., are left alone.
/// \param environment  "NAME=value" each
std::vector<std::string> environmentWarnings(std::span<const std::string> environment);

/// Returns the faults of this process's environment.
std::vector<std::string> environmentWarnings();

} // namespace copse::types
