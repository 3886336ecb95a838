# cmake --install: what a Poplar program is built with and runs on. The tree can be moved afterwards: programs and
# libpoplar.so find each other and the headers relative to themselves.
include(CMakePackageConfigHelpers)

set(COPSE_INSTALLED_PROGRAMS popc copse copse-accuracy copse-onnx ipud ${COPSE_GC_TOOLS})
if(TARGET rbufd)
  list(APPEND COPSE_INSTALLED_PROGRAMS rbufd)
endif()
set_target_properties(poplar ${COPSE_INSTALLED_PROGRAMS} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")

install(TARGETS poplar LIBRARY DESTINATION lib)
install(TARGETS ${COPSE_INSTALLED_PROGRAMS} RUNTIME DESTINATION bin)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/host-runtime/include/ DESTINATION include
  PATTERN ".clang-tidy" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/host-runtime/tools/gdb/copse.py DESTINATION share/copse/gdb) # of copse debug

# Where Debian's python3 looks if the prefix is /usr; elsewhere, with this folder in PYTHONPATH.
if(TARGET pva_python)
  install(TARGETS pva_python pvti_python LIBRARY DESTINATION lib/python3/dist-packages)
  install(FILES ${PROJECT_SOURCE_DIR}/host-runtime/python/src/libpvti.py DESTINATION lib/python3/dist-packages)
endif()

# Makefiles name the libraries of profiles and trace points; both are part of libpoplar.so.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
foreach(name pva pvti)
  file(CREATE_LINK libpoplar.so ${PROJECT_BINARY_DIR}/lib/lib${name}.so SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/lib/lib${name}.so DESTINATION lib)
endforeach()

# One package for each name that programs ask for.
file(STRINGS ${PROJECT_SOURCE_DIR}/host-runtime/include/poplar_version.h COPSE_API_VERSION
  REGEX "POPLAR_VERSION_STRING")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" COPSE_API_VERSION "${COPSE_API_VERSION}")
foreach(package poplar popc_bin poplibs gcl popir pva libpvti gccs poplar_test popdist)
  set(version_file ${PROJECT_BINARY_DIR}/package/${package}-config-version.cmake)
  write_basic_package_version_file(${version_file} VERSION ${COPSE_API_VERSION} COMPATIBILITY SameMajorVersion)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/package/${package}-config.cmake ${version_file}
    DESTINATION lib/cmake/${package})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/cmake/package/gccs-modules/ DESTINATION lib/cmake/gccs/modules)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/package/enable.sh DESTINATION .)
