#pragma once

#include <string>

namespace copse::types {

/// Returns the version text of the tools, with the commit: "copse 0.1.0 (0123456789), Poplar API
/// 2.2.0".
std::string copseVersion();

} // namespace copse::types
