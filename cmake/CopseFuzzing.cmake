# Fuzz targets: programs with one function LLVMFuzzerTestOneInput that reads untrusted bytes.
#
# In the preset `fuzz` (clang, COPSE_FUZZERS) they are libFuzzer programs of instrumented code. In
# every other build the same functions are called with the inputs of the corpus and with seeded
# mutations of them, so that each run of the tests calls every target.
option(COPSE_FUZZERS "link fuzz targets with libFuzzer; needs clang and -fsanitize=fuzzer-no-link" OFF)

# copse_fuzzer(NAME SOURCES ... LIBRARIES ... [RUNS n] [CORPUS dir ...])
#   Adds the program fuzz_NAME and the test Fuzz.NAME (label fuzz), a short run from the same start each time.
#   CORPUS, by default corpus/NAME: folders of inputs, one file each, kept small.
#   RUNS: inputs of a short run with libFuzzer (default 20000), and with seeded mutations.
function(copse_fuzzer name)
  cmake_parse_arguments(arg "" "RUNS" "SOURCES;LIBRARIES;CORPUS" ${ARGN})
  if(NOT arg_RUNS)
    set(arg_RUNS 20000)
  endif()
  if(NOT arg_CORPUS)
    set(arg_CORPUS ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
  endif()
  set(program fuzz_${name})
  add_executable(${program} ${arg_SOURCES})
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz)
  target_link_libraries(${program} PRIVATE ${arg_LIBRARIES} copse_warnings)
  if(COPSE_FUZZERS)
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    # Inputs that libFuzzer finds are kept here, not in the sources: `-merge=1` says which of them
    # are worth a commit.
    set(found ${CMAKE_CURRENT_BINARY_DIR}/found/${name})
    file(MAKE_DIRECTORY ${found})
    # A frame may have 4 GiB. Its memory is reserved when its length is known, but only the bytes
    # that arrive are touched.
    add_test(NAME Fuzz.${name} COMMAND ${program} -runs=${arg_RUNS} -seed=1 -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=4200
      -print_final_stats=1 -artifact_prefix=${found}/ ${found} ${arg_CORPUS})
  else()
    target_sources(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cpp)
    add_test(NAME Fuzz.${name} COMMAND ${program} ${arg_RUNS} ${arg_CORPUS})
  endif()
  set_tests_properties(Fuzz.${name} PROPERTIES LABELS "fuzz;unit" TIMEOUT 300)
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers ${program})
endfunction()
