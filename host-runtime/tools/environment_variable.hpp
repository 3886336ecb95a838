#pragma once

#include <cstdlib>
#include <string>

namespace copse::tools {

/// Returns the value of an environment variable; empty if it is not set.
inline std::string environmentVariable(const char *name) {
  const char *const value = std::getenv(name);
  return value != nullptr ? value : "";
}

} // namespace copse::tools
