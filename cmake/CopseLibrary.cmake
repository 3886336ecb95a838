# The warnings of our own code; third-party headers are SYSTEM and never see them. A file that
# includes several sources looks to g++ like a header, in which -Wsubobject-linkage would be right.
add_library(copse_warnings INTERFACE)
target_compile_options(copse_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety> $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage> $<$<BOOL:${COPSE_WARNINGS_AS_ERRORS}>:-Werror>)

# copse_install_library(TARGET...): shared libraries of an installation. The number in the SONAME
# names the releases whose programs may use one another's libraries: before 1.0, the releases with
# the same second number.
function(copse_install_library)
  set_target_properties(${ARGN} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  install(TARGETS ${ARGN} LIBRARY DESTINATION lib COMPONENT runtime NAMELINK_COMPONENT development)
endfunction()

# Each of the headers of copse_NAME as a source of its own.
function(copse_header_checks name include headers)
  set(checks)
  foreach(header IN LISTS headers)
    string(MAKE_C_IDENTIFIER "${header}" id)
    set(check ${CMAKE_CURRENT_BINARY_DIR}/header_checks/${name}_${id}.cpp)
    string(REGEX REPLACE "^${include}/" "" spelled "${header}")
    file(CONFIGURE OUTPUT ${check} CONTENT "#include \"${spelled}\" // compiles on its own\n")
    list(APPEND checks ${check})
  endforeach()
  add_library(${name}_header_checks OBJECT ${checks})
  target_link_libraries(${name}_header_checks PRIVATE copse_${name} copse_warnings)
endfunction()

# copse_library(NAME [SHARED] [INCLUDE dir] HEADERS ... SOURCES ... PUBLIC ... PRIVATE ...)
#   Adds the library copse_NAME with the alias copse::NAME. Each module has its own include root, so that a
#   dependency that is not named here does not compile. Every public header is compiled on its own, too, by the target
#   NAME_header_checks, where sources are compiled one by one (preset dev): it takes minutes.
function(copse_library name)
  cmake_parse_arguments(arg "" "INCLUDE" "HEADERS;SOURCES;PUBLIC;PRIVATE" ${ARGN})
  if(NOT arg_INCLUDE)
    set(arg_INCLUDE include)
  endif()
  add_library(copse_${name} STATIC ${arg_SOURCES})
  add_library(copse::${name} ALIAS copse_${name})
  copse_precompile(copse_${name} copse_precompiled)
  if(COPSE_BUILD_TESTS AND NOT CMAKE_UNITY_BUILD)
    copse_header_checks(${name} "${arg_INCLUDE}" "${arg_HEADERS}")
  endif()
  target_include_directories(copse_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/${arg_INCLUDE})
  target_link_libraries(copse_${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE} copse_warnings)
endfunction()

# copse_test(NAME LABEL [INSIDE MODULE] SOURCES ... LIBRARIES ...): a GoogleTest program with its
# tests known to ctest.
#   A test INSIDE a module also sees the headers that the module keeps to itself.
function(copse_test name label)
  cmake_parse_arguments(arg "" "TIMEOUT;INSIDE" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  if(arg_INSIDE)
    target_include_directories(${name} PRIVATE $<TARGET_PROPERTY:copse_${arg_INSIDE},SOURCE_DIR>/src)
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest_main copse_warnings)
  copse_precompile(${name} copse_precompiled_tests)
  target_compile_options(${name} PRIVATE ${COPSE_TEST_OPTIONS})
  # NO_PRETTY_VALUES keeps raw bytes of struct parameters out of the names.
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${label}" TIMEOUT ${arg_TIMEOUT})
endfunction()
