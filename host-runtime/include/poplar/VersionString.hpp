#pragma once

#include "poplar/StringRef.hpp"

namespace poplar {

/// The version of the interface and of this build: "2.2.0 (abcdef)".
StringRef versionString();

/// A short hash that names the build.
StringRef packageHash();

} // namespace poplar
