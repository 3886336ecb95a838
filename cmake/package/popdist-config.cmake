# Target: popdist. The backend over Open MPI is opened when a program requests it.
include(CMakeFindDependencyMacro)
find_dependency(poplar PATHS "${CMAKE_CURRENT_LIST_DIR}/../poplar" NO_DEFAULT_PATH)
get_filename_component(_popdist_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET popdist)
  add_library(popdist SHARED IMPORTED)
  set_target_properties(popdist PROPERTIES
    IMPORTED_LOCATION "${_popdist_prefix}/lib/libpopdist.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_popdist_prefix}/include"
    INTERFACE_LINK_LIBRARIES poplar)
endif()
unset(_popdist_prefix)
