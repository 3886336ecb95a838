#include "poplar_version.h"

#include "poplar/VersionString.hpp"

namespace poplar {

StringRef packageHash() { return COPSE_PACKAGE_HASH; }

StringRef versionString() { return POPLAR_VERSION_STRING " (" COPSE_PACKAGE_HASH ")"; }

} // namespace poplar
