# Targets: poplar (the library with its headers) and popc_bin (the program popc; its path is the
# property LOCATION).
include(${CMAKE_CURRENT_LIST_DIR}/copse-version.cmake)
if(NOT poplar_FIND_QUIETLY)
  message(STATUS "Found copse ${COPSE_VERSION}, Poplar API ${POPLAR_API_VERSION}")
endif()
get_filename_component(_poplar_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET poplar)
  add_library(poplar SHARED IMPORTED)
  set_target_properties(poplar PROPERTIES
    IMPORTED_LOCATION "${_poplar_prefix}/lib/libpoplar.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_poplar_prefix}/include")
endif()
if(NOT TARGET popc_bin)
  add_executable(popc_bin IMPORTED)
  set_target_properties(popc_bin PROPERTIES IMPORTED_LOCATION "${_poplar_prefix}/bin/popc")
endif()
unset(_poplar_prefix)
