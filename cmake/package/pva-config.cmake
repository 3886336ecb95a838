# Target: pva. Profiles are read by the Poplar library itself.
include(CMakeFindDependencyMacro)
find_dependency(poplar PATHS "${CMAKE_CURRENT_LIST_DIR}/../poplar" NO_DEFAULT_PATH)
if(NOT TARGET pva)
  add_library(pva INTERFACE IMPORTED)
  set_target_properties(pva PROPERTIES INTERFACE_LINK_LIBRARIES poplar)
endif()
