# Targets: gcl, and gcl_ct, which is the same library under the name of SDK 2.2; and the targets of
# poplibs.
include(CMakeFindDependencyMacro)
find_dependency(poplibs)
get_filename_component(_gcl_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
foreach(_gcl_library gcl gcl_ct)
  if(NOT TARGET ${_gcl_library})
    add_library(${_gcl_library} SHARED IMPORTED)
    set_target_properties(${_gcl_library} PROPERTIES
      IMPORTED_LOCATION "${_gcl_prefix}/lib/lib${_gcl_library}.so"
      INTERFACE_INCLUDE_DIRECTORIES "${_gcl_prefix}/include"
      INTERFACE_LINK_LIBRARIES "popops;poputil;poplar")
  endif()
endforeach()
unset(_gcl_prefix)
unset(_gcl_library)
