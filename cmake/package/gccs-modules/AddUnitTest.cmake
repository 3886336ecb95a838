# Tests on kinds of devices ("variants"), of which those in ENABLED_TEST_VARIANTS are run. A program
# is told its own by --device-type; the variant NoTarget has no device. A variant may name a
# configuration of the codelets behind a colon, as in Sim2:cpp: nothing is run for those.
include_guard(GLOBAL)

# extract_targets(VARIANTS OUT), extract_runconfig(VARIANT OUT): the devices of a list of variants,
# and the configuration of one.
function(extract_targets variants out)
  list(TRANSFORM ${variants} REPLACE ":.*" "" OUTPUT_VARIABLE targets)
  list(REMOVE_DUPLICATES targets)
  set(${out} ${targets} PARENT_SCOPE)
endfunction()
function(extract_runconfig variant out)
  set(config default)
  if("${${variant}}" MATCHES ":(.*)")
    set(config ${CMAKE_MATCH_1})
  endif()
  set(${out} ${config} PARENT_SCOPE)
endfunction()

# add_test_executable(NAME SOURCES...): with the directories, libraries and flags that all tests
# have, COMMON_ADD_EXECUTABLE_*.
function(add_test_executable name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${COMMON_ADD_EXECUTABLE_INCLUDE_DIRECTORIES})
  target_link_libraries(${name} PRIVATE ${COMMON_ADD_EXECUTABLE_LIBRARIES})
  if(COMMON_ADD_EXECUTABLE_COMPILE_FLAGS)
    target_compile_options(${name} PRIVATE ${COMMON_ADD_EXECUTABLE_COMPILE_FLAGS})
  endif()
endfunction()

# add_parent_dir_labels(LABELS): adds the names of the folders, from the project's folder to this
# one, to a list of labels.
function(add_parent_dir_labels labels)
  file(RELATIVE_PATH folders ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" ";" folders "${folders}")
  set(${labels} ${${labels}} ${folders} PARENT_SCOPE)
endfunction()

# _gccs_enabled_variants(VARIANTS OUT): those that are run; of none, the default ones.
function(_gccs_enabled_variants variants out)
  if(NOT variants)
    set(variants ${DEFAULT_TEST_VARIANTS})
  endif()
  list(REMOVE_DUPLICATES variants)
  set(enabled)
  foreach(variant IN LISTS variants)
    if(variant IN_LIST ENABLED_TEST_VARIANTS AND NOT variant MATCHES ":")
      list(APPEND enabled ${variant})
    endif()
  endforeach()
  set(${out} ${enabled} PARENT_SCOPE)
endfunction()

# _gccs_add_tests(NAME COMMAND ... VARIANTS ... LABELS ... PROPERTIES ... SEPARATOR ...): the test
# <variant>_default_<NAME> of each variant; SEPARATOR comes between the command and --device-type.
function(_gccs_add_tests name)
  cmake_parse_arguments(arg "" "" "COMMAND;VARIANTS;LABELS;PROPERTIES;SEPARATOR" ${ARGN})
  # A program that is not built, as its library is not, fails its tests and not the configuration of
  # all.
  list(TRANSFORM arg_COMMAND REPLACE "\\$<TARGET_FILE:([^>]+)>" "$<$<TARGET_EXISTS:\\1>:$<TARGET_FILE:\\1>>")
  foreach(variant IN LISTS arg_VARIANTS)
    set(device ${arg_SEPARATOR} --device-type ${variant})
    if(variant STREQUAL NoTarget)
      set(device)
    endif()
    add_test(NAME ${variant}_default_${name} COMMAND ${arg_COMMAND} ${device})
    set_tests_properties(${variant}_default_${name} PROPERTIES LABELS "${variant};${arg_LABELS}" ${arg_PROPERTIES})
  endforeach()
endfunction()

# add_unit_test(NAME SOURCES... [SUITES ...] [VARIANTS ...] [LABELS ...] [PROPERTIES name value
# ...]): a Boost.Test program, if one of its variants is enabled, and a test of each of its suites,
# or of all.
function(add_unit_test name)
  cmake_parse_arguments(arg "" "" "SUITES;VARIANTS;LABELS;PROPERTIES" ${ARGN})
  _gccs_enabled_variants("${arg_VARIANTS}" variants)
  if(NOT variants)
    return()
  endif()
  add_test_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  if(NOT "${arg_VARIANTS}" STREQUAL NoTarget)
    target_compile_definitions(${name} PRIVATE TEST_WITH_TARGET)
  endif()
  set(how VARIANTS ${variants} LABELS ${arg_LABELS} PROPERTIES ${arg_PROPERTIES} SEPARATOR --)
  if(NOT arg_SUITES)
    _gccs_add_tests(${name} COMMAND ${name} ${how})
  endif()
  foreach(suite IN LISTS arg_SUITES)
    _gccs_add_tests(${name}_${suite} COMMAND ${name} --run_test=${suite} ${how})
  endforeach()
endfunction()
