#pragma once

#include <span>
#include <string>
#include <vector>

namespace copse::types {

/// Returns warnings about environment variables whose names begin with COPSE_: unknown names,
/// invalid values, and variables without effect because another one is missing. Variables of tests,
/// COPSE_TEST_..., are ignored.
/// \param environment  entries "NAME=value"
std::vector<std::string> environmentWarnings(std::span<const std::string> environment);

/// Returns the warnings about this process's environment.
std::vector<std::string> environmentWarnings();

} // namespace copse::types
