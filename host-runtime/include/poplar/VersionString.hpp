#pragma once

#include <string>

namespace poplar {

/// Returns the version of the interface and of this build: "2.2.0 (abcdef)".
std::string versionString();

/// Returns a short hash that names the build.
std::string packageHash();

} // namespace poplar
