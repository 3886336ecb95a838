# Precompiled headers of the standard library, and of GoogleTest for tests: they halve the time to
# compile most files.
#
# Every header of ours is also compiled alone without them (copse_library), and the preset `dev`
# does without them, so that a file that forgets an include is found. Only with g++: clang refuses a
# precompiled header for a target that defines another macro.
include(CMakeDependentOption)
cmake_dependent_option(COPSE_PRECOMPILED_HEADERS "precompile the standard library and GoogleTest" ON
  "CMAKE_CXX_COMPILER_ID STREQUAL GNU" OFF)

set(COPSE_STANDARD_HEADERS <algorithm> <array> <atomic> <chrono> <condition_variable> <cstdint> <cstring> <deque> <functional>
  <map> <memory> <mutex> <optional> <set> <span> <sstream> <string> <string_view> <thread> <unordered_map> <utility>
  <variant> <vector>)

if(COPSE_PRECOMPILED_HEADERS AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
  # ccache needs these settings to look into precompiled headers (its manual, "Precompiled
  # headers").
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# Tests are not optimised: that takes as long as the rest of compiling them, and no test
# measures its own speed. Nor is their own code checked for undefined behaviour, which takes a third
# of the time of compiling them in the preset asan. Their precompiled header has to be compiled
# alike.
set(COPSE_TEST_OPTIONS -O0 -fno-sanitize=undefined)

# One precompiled header for all libraries and one for all tests; executables are compiled with
# -fPIE, so the owner of the tests' is an executable.
if(COPSE_PRECOMPILED_HEADERS)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/empty.cpp CONTENT "")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/main.cpp CONTENT "int main() {}\n")
  add_library(copse_precompiled OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled/empty.cpp)
  target_precompile_headers(copse_precompiled PRIVATE ${COPSE_STANDARD_HEADERS})
  if(COPSE_BUILD_TESTS)
    add_executable(copse_precompiled_tests EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled/main.cpp)
    target_link_libraries(copse_precompiled_tests PRIVATE GTest::gmock) # it defines macros
    target_compile_options(copse_precompiled_tests PRIVATE ${COPSE_TEST_OPTIONS})
    target_precompile_headers(copse_precompiled_tests PRIVATE ${COPSE_STANDARD_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()

# copse_precompile(TARGET OWNER): the target's files begin with the precompiled header of OWNER.
function(copse_precompile target owner)
  if(COPSE_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    # g++ 12 warns of its own std::string once the header is precompiled; builds without that keep
    # these warnings.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()
