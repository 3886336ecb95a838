# Targets: snap, and popir, which PopART 2.6 links, too. Headers only.
include(CMakeFindDependencyMacro)
find_dependency(poplibs)
get_filename_component(_popir_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
foreach(_popir_target snap popir)
  if(NOT TARGET ${_popir_target})
    add_library(${_popir_target} INTERFACE IMPORTED)
    set_target_properties(${_popir_target} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${_popir_prefix}/include"
      INTERFACE_LINK_LIBRARIES "poputil;poplar")
  endif()
endforeach()
unset(_popir_prefix)
unset(_popir_target)
