# Target: libpvti. Trace points: headers only.
include(CMakeFindDependencyMacro)
find_dependency(poplar PATHS "${CMAKE_CURRENT_LIST_DIR}/../poplar" NO_DEFAULT_PATH)
if(NOT TARGET libpvti)
  add_library(libpvti INTERFACE IMPORTED)
  set_target_properties(libpvti PROPERTIES INTERFACE_LINK_LIBRARIES poplar)
endif()
