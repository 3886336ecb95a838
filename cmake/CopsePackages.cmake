# Debian packages, by cpack: copse (programs, libraries, and the headers that codelets need when
# they are compiled), libcopse-dev (what programs are built with, and examples) and python3-pva.
# deploy/package.sh makes and tries them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME copse)
set(CPACK_PACKAGE_VENDOR "")
set(CPACK_PACKAGE_CONTACT "The maintainers of Copse <maintainers@copse.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)

# popc runs the clang of the same version as the LLVM that codelet-compiler is linked with, which
# shlibdeps finds.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME copse)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS clang-16)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "gdb, python3")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "emulated IPUs that run Poplar programs
 Programs for IPUs run on processes that emulate the tiles of one chip each,
 with the bits of the arithmetic that was written, in modelled cycles.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcopse-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "copse (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "emulated IPUs: files to build Poplar programs with
 Headers of the operations, files for CMake and pkg-config, and examples in
 /usr/share/copse/examples.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-pva)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "copse (= ${PROJECT_VERSION}), python3")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "emulated IPUs: profiles in Python
 The modules pva, libpvti and popdist.")

include(CPack)
