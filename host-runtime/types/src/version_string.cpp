#include "poplar_version.h"

#include "poplar/VersionString.hpp"

namespace poplar {

std::string packageHash() { return COPSE_PACKAGE_HASH; }

std::string versionString() { return POPLAR_VERSION_STRING " (" COPSE_PACKAGE_HASH ")"; }

} // namespace poplar
