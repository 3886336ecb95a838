#pragma once

#include <string>

namespace copse::types {

/// What the tools say of their version: "copse 0.1.0 (0123456789), Poplar API 2.2.0", with the commit.
std::string copseVersion();

} // namespace copse::types
