# Target: snap. Headers only.
include(CMakeFindDependencyMacro)
find_dependency(poplar)
if(NOT TARGET snap)
  get_filename_component(_popir_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  add_library(snap INTERFACE IMPORTED)
  set_target_properties(snap PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_popir_prefix}/include"
    INTERFACE_LINK_LIBRARIES poplar)
  unset(_popir_prefix)
endif()
