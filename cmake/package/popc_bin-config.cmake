# Target: popc_bin, the program popc; its path is the property LOCATION.
include(CMakeFindDependencyMacro)
find_dependency(poplar)
