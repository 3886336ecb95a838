include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/AddUnitTest.cmake)

# add_multitarget_test(NAME name COMMAND program arguments... [VARIANTS ...] [LABELS ...]
# [PROPERTIES name value ...])
function(add_multitarget_test)
  cmake_parse_arguments(arg "" "NAME" "COMMAND;VARIANTS;LABELS;PROPERTIES" ${ARGN})
  _gccs_enabled_variants("${arg_VARIANTS}" variants)
  _gccs_add_tests(${arg_NAME} COMMAND ${arg_COMMAND} VARIANTS ${variants} LABELS ${arg_LABELS}
    PROPERTIES ${arg_PROPERTIES})
endfunction()
