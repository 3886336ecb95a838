include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/AddUnitTest.cmake)

# add_python_unit_test(NAME FILE [VARIANTS ...] [LABELS ...] [DEPENDS tests...] [ENV name=value ...]
# [PROPERTIES name value ...]
#   [MATCHEXPR expression] [NUM_WORKERS n] [TEST_IPUMODEL yes] [ALLOW_SKIP yes] [PYTHON3_PATH program]): the test
# <variant>_default_<NAME> of each enabled variant: pytest runs the file, or those tests of it that
# match the expression. The environment tells it its variant as TEST_TARGET. More workers than one
# need pytest-xdist. TEST_IPUMODEL is what PopART's tests call a wish to run on models of the IPU,
# too: the variants say so here. Tests that are all skipped count as passed.
function(add_python_unit_test name file)
  cmake_parse_arguments(arg "" "MATCHEXPR;NUM_WORKERS;TEST_IPUMODEL;ALLOW_SKIP;PYTHON3_PATH"
    "VARIANTS;LABELS;DEPENDS;ENV;PROPERTIES" ${ARGN})
  if(NOT arg_PYTHON3_PATH)
    set(arg_PYTHON3_PATH python3)
  endif()
  set(options)
  if(arg_MATCHEXPR)
    list(APPEND options -k "${arg_MATCHEXPR}")
  endif()
  if(arg_NUM_WORKERS GREATER 1)
    list(APPEND options -n ${arg_NUM_WORKERS})
  endif()
  _gccs_enabled_variants("${arg_VARIANTS}" variants)
  foreach(variant IN LISTS variants)
    set(test ${variant}_default_${name})
    add_test(NAME ${test} COMMAND ${CMAKE_COMMAND} -E env ${arg_ENV} TEST_TARGET=${variant}
      ${arg_PYTHON3_PATH} -m pytest ${options} ${file})
    set_tests_properties(${test} PROPERTIES LABELS "${variant};${arg_LABELS}" ${arg_PROPERTIES})
    if(arg_DEPENDS)
      set_tests_properties(${test} PROPERTIES DEPENDS "${arg_DEPENDS}")
    endif()
  endforeach()
endfunction()
