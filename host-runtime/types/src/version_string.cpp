#include "poplar_version.h"

#include "poplar/VersionString.hpp"
#include "types/copse_version.hpp"

namespace poplar {

std::string packageHash() { return COPSE_PACKAGE_HASH; }

std::string versionString() { return POPLAR_VERSION_STRING " (" COPSE_PACKAGE_HASH ")"; }

} // namespace poplar

namespace copse::types {

std::string copseVersion() {
  return "copse " COPSE_VERSION " (" COPSE_PACKAGE_HASH "), Poplar API " POPLAR_VERSION_STRING;
}

} // namespace copse::types
