# cmake -D COMPILER=.. -D BUILD=.. -D SOURCES=.. -D WORK=.. -P installation.cmake
# Installs the build into a fresh folder, moves that, and uses it as a user would.
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/cache)
run("cmake --install" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/sdk) # it must bear that
set(sdk ${WORK}/sdk)
set(ENV{COPSE_CACHE_DIR} ${WORK}/cache)

# Every dialect, without a warning.
foreach(standard 11 14 17 20)
  foreach(program adder replicas)
    run("${program}.cpp as C++${standard}" ${COMPILER} -std=c++${standard} -Wall -Wextra -Werror -pedantic
      -fsyntax-only -I${sdk}/include ${SOURCES}/consumer/${program}.cpp)
  endforeach()
endforeach()

# By hand: the library named after the source, nothing else. popc is found on the PATH.
set(ENV{PATH} "${sdk}/bin:$ENV{PATH}")
run("popc" popc -O2 ${SOURCES}/consumer/adder_codelets.cpp -o ${WORK}/adder.gp)
run("compiling adder" ${COMPILER} -std=c++11 -Wall -Wextra -Werror -pedantic -I${sdk}/include
  ${SOURCES}/consumer/adder.cpp -o ${WORK}/adder -L${sdk}/lib -lpoplar -Wl,-rpath,${sdk}/lib)
run("adder from a .gp" ${WORK}/adder ${WORK}/adder.gp)
run("adder from a source" ${WORK}/adder ${SOURCES}/consumer/adder_codelets.cpp)

# Libraries that only makefiles name.
run("compiling the profile reader" ${COMPILER} -std=c++17 -Wall -Wextra -Werror -pedantic -I${sdk}/include
  ${SOURCES}/consumer/profile_reader.cpp -o ${WORK}/profile_reader -L${sdk}/lib -lpva -lpvti -Wl,-rpath,${sdk}/lib)
run("the profile reader" ${WORK}/profile_reader ${WORK}/none.pop)

# With enable.sh neither the compiler nor the program is told where anything is.
find_program(BASH bash)
if(BASH)
  file(WRITE ${WORK}/enabled.sh "set -eu; . ${sdk}/enable.sh
    test \"$POPLAR_SDK_ENABLED\" = ${sdk}; test \"$(command -v popc)\" = ${sdk}/bin/popc
    ${COMPILER} -std=c++17 ${SOURCES}/consumer/adder.cpp -o ${WORK}/enabled -lpoplar; ${WORK}/enabled ${WORK}/adder.gp
    echo \"$CMAKE_PREFIX_PATH $PYTHONPATH\"\n")
  run("what enable.sh makes of a shell" ${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH ${BASH} ${WORK}/enabled.sh)
  string(FIND "${output}" "${sdk} ${sdk}/lib/python3/dist-packages" paths) # no pattern: it may have a plus
  if(paths EQUAL -1)
    message(FATAL_ERROR "enable.sh sets other paths:\n${output}")
  endif()
endif()

# The headers of gcl do not include the header of popops which later releases of PopLibs lack.
file(COPY ${sdk}/include DESTINATION ${WORK}/later)
file(REMOVE ${WORK}/later/include/popops/CollectiveTypes.hpp)
file(WRITE ${WORK}/later/chunks.cpp
  "#include <gcl/Collectives.hpp>\ngcl::Chunks some(unsigned n) { return gcl::Chunks(n); }\n"
  "gcl::CollectiveOperator sum() { return gcl::CollectiveOperator::ADD; }\n")
run("collectives beside later PopLibs" ${COMPILER} -std=c++11 -Wall -Wextra -Werror -fsyntax-only
  -I${WORK}/later/include ${WORK}/later/chunks.cpp)

# The Python module finds libpoplar.so relative to itself.
if(PYTHON)
  run("import pva" ${CMAKE_COMMAND} -E env PYTHONPATH=${sdk}/lib/python3/dist-packages ${PYTHON}
    -c "import pva; assert pva.__file__.startswith('${sdk}/lib/'); print(pva.Program.Type.Sync)")
  run("import libpvti" ${CMAKE_COMMAND} -E env PYTHONPATH=${sdk}/lib/python3/dist-packages ${PYTHON}
    -c "import libpvti; libpvti.Tracepoint(libpvti.createTraceChannel('c'), 'l').__enter__()")
endif()

# Operations: their libraries are named after the source, too, and bring their compiled codelets.
run("compiling the operations" ${COMPILER} -std=c++11 -Wall -Wextra -Werror -pedantic -I${sdk}/include
  ${SOURCES}/consumer/operations.cpp -o ${WORK}/operations -L${sdk}/lib -lpoplar -lpopops -lpoputil
  -Wl,-rpath,${sdk}/lib)
run("the operations" ${WORK}/operations)
run("compiling the collectives" ${COMPILER} -std=c++11 -Wall -Wextra -Werror -pedantic -I${sdk}/include
  ${SOURCES}/consumer/collectives.cpp -o ${WORK}/collectives -L${sdk}/lib -lpoplar -lgcl_ct -lpopops -lpoputil
  -Wl,-rpath,${sdk}/lib)
run("the collectives" ${WORK}/collectives)

# An ONNX model, by the installed tool.
run("copse onnx" copse onnx ${SOURCES}/consumer/sum.onnx --device ipu --input x=random --output ${WORK}/outputs)
if(NOT EXISTS ${WORK}/outputs/y.npy OR NOT output MATCHES "modelled latency")
  message(FATAL_ERROR "copse onnx gave no outputs:\n${output}")
endif()

# By CMake.
run("configuring the consumer" ${CMAKE_COMMAND} -G Ninja -S ${SOURCES}/consumer -B ${WORK}/consumer
  -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_PREFIX_PATH=${sdk} -D EXPECTED_POPC=${sdk}/bin/popc)
if(NOT output MATCHES "Found copse [0-9.]+, Poplar API 2.2.0")
  message(FATAL_ERROR "find_package(poplar) does not tell both versions:\n${output}")
endif()
run("building the consumer" ${CMAKE_COMMAND} --build ${WORK}/consumer)
run("replicas" ${WORK}/consumer/replicas)
run("the operations that CMake built" ${WORK}/consumer/operations)
run("the collectives that CMake built" ${WORK}/consumer/collectives)
run("the wrapped graph" ${WORK}/consumer/wrapped)
run("the stack trace" ${WORK}/consumer/stack_trace)
run("the consumer's tests" ${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/consumer)
foreach(expected IpuModel2_default_splits NoTarget_default_splits_without_device IpuModel2_default_of_python
    "tests failed out of 4" "IpuModel2_default_without_memory \\(Skipped\\)")
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "the consumer's tests are not those it declares (${expected}):\n${output}")
  endif()
endforeach()
# The examples, as a user who copies their folders builds them.
run("configuring examples/first" ${CMAKE_COMMAND} -G Ninja -S ${ROOT}/examples/first -B ${WORK}/first-by-cmake
  -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_PREFIX_PATH=${sdk})
run("building examples/first" ${CMAKE_COMMAND} --build ${WORK}/first-by-cmake)
run("examples/first" ${WORK}/first-by-cmake/first)
set(squares "${output}")
file(COPY ${ROOT}/examples/first DESTINATION ${WORK})
run("make" make -C ${WORK}/first COPSE=${sdk} CXX=${COMPILER})
run("examples/first by make" ${WORK}/first/first)
if(NOT output STREQUAL squares OR NOT output MATCHES ": 1, 4, 9, ..., 4096")
  message(FATAL_ERROR "examples/first prints by CMake and by make:\n${squares}\n${output}")
endif()
if(EXAMPLES)
  run("configuring the examples" ${CMAKE_COMMAND} -G Ninja -S ${ROOT}/examples -B ${WORK}/examples
    -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_PREFIX_PATH=${sdk})
  run("building the examples" ${CMAKE_COMMAND} --build ${WORK}/examples)
  run("stencil" ${WORK}/examples/bin/stencil --rows 64 --columns 64 --steps 2)
endif()

# By pkg-config: what one library needs, too.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${sdk}/lib/pkgconfig)
  run("pkg-config" ${PKG_CONFIG} --cflags --libs popops)
  separate_arguments(flags UNIX_COMMAND "${output}")
  run("compiling the operations with pkg-config" ${COMPILER} -std=c++17 ${SOURCES}/consumer/operations.cpp
    -o ${WORK}/by-pkg-config ${flags} -Wl,-rpath,${sdk}/lib)
  run("the operations by pkg-config" ${WORK}/by-pkg-config)
endif()

# Programs ask for libraries of a release; manual pages and completions describe commands and their
# options.
find_program(READELF readelf REQUIRED)
run("readelf" ${READELF} -d ${WORK}/adder)
if(NOT output MATCHES "NEEDED[^\n]*libpoplar\\.so\\.[0-9]")
  message(FATAL_ERROR "libpoplar.so has no version in its SONAME:\n${output}")
endif()
if(EXISTS ${sdk}/share/man)
  file(READ ${sdk}/share/man/man1/copse.1 page)
  file(READ ${sdk}/share/bash-completion/completions/copse completion)
  file(READ ${sdk}/share/zsh/vendor-completions/_copse zsh)
  foreach(text page completion zsh)
    if(NOT "${${text}}" MATCHES "topology")
      message(FATAL_ERROR "copse up --topology is not in the ${text}")
    endif()
  endforeach()
  if(BASH)
    file(WRITE ${WORK}/complete.sh ". ${sdk}/share/bash-completion/completions/copse
      COMP_WORDS=(copse up --top) COMP_CWORD=2; _copse_copse; echo \"\${COMPREPLY[*]}\"\n")
    run("completion" ${BASH} ${WORK}/complete.sh)
    if(NOT output STREQUAL "--topology\n")
      message(FATAL_ERROR "copse up --top is completed to '${output}'")
    endif()
  endif()
endif()

# The program of README.md, as it stands there.
find_program(AWK awk REQUIRED)
execute_process(COMMAND ${AWK} "/^    #include <poplar/ {in_program = 1} in_program && /^[^ ]/ {exit}
  in_program {sub(/^    /, \"\"); print}" ${ROOT}/README.md OUTPUT_FILE ${WORK}/readme.cpp)
run("compiling README.md's program" ${COMPILER} -std=c++17 -Wall -Wextra -Werror -I${sdk}/include ${WORK}/readme.cpp
  -o ${WORK}/readme -L${sdk}/lib -Wl,-rpath,${sdk}/lib -lpoplar)
run("README.md's program" ${WORK}/readme)
if(NOT output STREQUAL "2 4 6 8 ")
  message(FATAL_ERROR "README.md's program prints '${output}'")
endif()
file(REMOVE_RECURSE ${WORK})
