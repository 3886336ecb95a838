# Targets: gccs (headers), popsolver, gccs_stacktrace. GCCS_CMAKE_DIR: modules that the public
# PopLibs includes.
get_filename_component(_gccs_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET gccs)
  add_library(gccs INTERFACE IMPORTED)
  set_target_properties(gccs PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_gccs_prefix}/include")
  add_library(popsolver SHARED IMPORTED)
  set_target_properties(popsolver PROPERTIES
    IMPORTED_LOCATION "${_gccs_prefix}/lib/libpopsolver.so"
    INTERFACE_LINK_LIBRARIES gccs)
  add_library(gccs_stacktrace SHARED IMPORTED)
  set_target_properties(gccs_stacktrace PROPERTIES
    IMPORTED_LOCATION "${_gccs_prefix}/lib/libgccs_stacktrace.so"
    INTERFACE_LINK_LIBRARIES gccs)
endif()
unset(_gccs_prefix)
set(GCCS_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}/modules")
