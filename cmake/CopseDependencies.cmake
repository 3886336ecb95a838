# Every third-party library of the project, found once. All are Debian packages
# (deploy/packages.txt).
find_package(Threads REQUIRED)
find_package(CapnProto REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
find_package(PkgConfig REQUIRED)
find_package(prometheus-cpp REQUIRED)
pkg_check_modules(ZeroMQ REQUIRED libzmq)
pkg_check_modules(Sodium REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(Dw REQUIRED IMPORTED_TARGET libdw)
pkg_check_modules(XxHash REQUIRED libxxhash) # its header only

find_path(XBYAK_INCLUDE_DIR xbyak/xbyak.h REQUIRED) # headers only

# Asio and cppzmq are headers only.
add_library(copse_asio INTERFACE)
target_compile_definitions(copse_asio INTERFACE ASIO_STANDALONE ASIO_NO_DEPRECATED)
target_link_libraries(copse_asio INTERFACE Threads::Threads)
# Takes only the folder and library of libzmq itself from its flags: the flags of the libraries
# below it change their order when CMake runs again, and everything would be compiled once more.
add_library(copse_libzmq INTERFACE)
target_include_directories(copse_libzmq SYSTEM INTERFACE ${ZeroMQ_INCLUDEDIR})
target_link_libraries(copse_libzmq INTERFACE ${ZeroMQ_LINK_LIBRARIES})
add_library(copse_zmq INTERFACE)
target_link_libraries(copse_zmq INTERFACE copse_libzmq)
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
  add_library(copse_zmq_handover STATIC ${PROJECT_SOURCE_DIR}/tests/support/zmq_handover.cpp)
  target_link_libraries(copse_zmq_handover PUBLIC copse_libzmq)
  target_link_libraries(copse_zmq INTERFACE copse_zmq_handover)
  foreach(call zmq_msg_send zmq_msg_recv zmq_send zmq_recv)
    target_link_options(copse_zmq INTERFACE LINKER:--wrap=${call})
  endforeach()
endif()

# The fabric opens OpenSSL's libraries itself, when links have keys.
add_library(copse_openssl_headers INTERFACE)
target_include_directories(copse_openssl_headers SYSTEM INTERFACE ${OPENSSL_INCLUDE_DIR})

# LLVM and clang, for popc: the C++ interface changes with each version, and the clang that compiles
# codelets must have the same version.
set(COPSE_LLVM_VERSION 16)
set(COPSE_LLVM_FOLDER /usr/lib/llvm-${COPSE_LLVM_VERSION})
find_path(LLVM_INCLUDE_DIR llvm/IR/Module.h PATHS ${COPSE_LLVM_FOLDER}/include NO_DEFAULT_PATH REQUIRED)
find_path(LIBCLANG_INCLUDE_DIR clang-c/Index.h PATHS ${COPSE_LLVM_FOLDER}/include NO_DEFAULT_PATH REQUIRED)
foreach(library LLVM clang clang-cpp)
  string(MAKE_C_IDENTIFIER ${library} id)
  find_library(COPSE_LIBRARY_${id} ${library} PATHS ${COPSE_LLVM_FOLDER}/lib NO_DEFAULT_PATH REQUIRED)
endforeach()
add_library(copse_libclang INTERFACE)
target_include_directories(copse_libclang SYSTEM INTERFACE ${LIBCLANG_INCLUDE_DIR})
target_link_libraries(copse_libclang INTERFACE ${COPSE_LIBRARY_clang})
add_library(copse_llvm INTERFACE)
target_include_directories(copse_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIR})
target_link_libraries(copse_llvm INTERFACE ${COPSE_LIBRARY_clang_cpp} ${COPSE_LIBRARY_LLVM})

if(COPSE_BUILD_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
if(COPSE_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
