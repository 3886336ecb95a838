include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/AddUnitTest.cmake)

# add_multitarget_test(NAME name COMMAND program arguments... [VARIANTS ...] [LABELS ...]
# [PROPERTIES name value ...] [ALLOW_SKIP]). With ALLOW_SKIP, a test whose program exits with 77 is
# skipped: the tools of PopLibs exit so if a graph needs more memory than the device has.
function(add_multitarget_test)
  cmake_parse_arguments(arg "ALLOW_SKIP" "NAME" "COMMAND;VARIANTS;LABELS;PROPERTIES" ${ARGN})
  if(arg_ALLOW_SKIP)
    list(APPEND arg_PROPERTIES SKIP_RETURN_CODE 77)
  endif()
  _gccs_enabled_variants("${arg_VARIANTS}" variants)
  _gccs_add_tests(${arg_NAME} COMMAND ${arg_COMMAND} VARIANTS ${variants} LABELS ${arg_LABELS}
    PROPERTIES ${arg_PROPERTIES})
endfunction()
