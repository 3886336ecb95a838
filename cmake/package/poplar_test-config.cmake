# Target: poplar_test.
include(CMakeFindDependencyMacro)
find_dependency(poplar)
get_filename_component(_poplar_test_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET poplar_test)
  add_library(poplar_test SHARED IMPORTED)
  set_target_properties(poplar_test PROPERTIES
    IMPORTED_LOCATION "${_poplar_test_prefix}/lib/libpoplar_test.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_poplar_test_prefix}/include"
    INTERFACE_LINK_LIBRARIES poplar)
endif()
unset(_poplar_test_prefix)
