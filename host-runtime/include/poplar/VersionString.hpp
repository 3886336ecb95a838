#pragma once

#include <string>

namespace poplar {

/// The version of the interface and of this build: "2.2.0 (abcdef)".
std::string versionString();

/// A short hash that names the build.
std::string packageHash();

} // namespace poplar
