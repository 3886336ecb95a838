# Targets: one for each library of operations that is installed: poputil, popops, ...; and poplar.
include(CMakeFindDependencyMacro)
find_dependency(poplar)
get_filename_component(_poplibs_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
foreach(_poplibs_library poputil popops poplin popnn poprand popsparse popfloat)
  set(_poplibs_file "${_poplibs_prefix}/lib/lib${_poplibs_library}.so")
  if(EXISTS "${_poplibs_file}" AND NOT TARGET ${_poplibs_library})
    add_library(${_poplibs_library} SHARED IMPORTED)
    set_target_properties(${_poplibs_library} PROPERTIES
      IMPORTED_LOCATION "${_poplibs_file}"
      INTERFACE_INCLUDE_DIRECTORIES "${_poplibs_prefix}/include"
      INTERFACE_LINK_LIBRARIES poplar)
    foreach(_poplibs_lower poputil popops poplin)
      if(NOT _poplibs_lower STREQUAL _poplibs_library AND TARGET ${_poplibs_lower})
        set_property(TARGET ${_poplibs_library} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${_poplibs_lower})
      endif()
    endforeach()
  endif()
endforeach()
unset(_poplibs_prefix)
unset(_poplibs_library)
unset(_poplibs_lower)
unset(_poplibs_file)
