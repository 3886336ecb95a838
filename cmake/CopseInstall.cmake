# cmake --install: everything that a Poplar program needs to be built and to run. The tree can be
# moved afterwards: programs and libpoplar.so find each other and the headers relative to
# themselves.
include(CMakePackageConfigHelpers)

set(COPSE_INSTALLED_PROGRAMS popc copse copse-accuracy copse-onnx ipud ${COPSE_GC_TOOLS})
if(TARGET rbufd)
  list(APPEND COPSE_INSTALLED_PROGRAMS rbufd)
endif()
set_target_properties(poplar ${COPSE_INSTALLED_PROGRAMS} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")

copse_install_library(poplar)
install(TARGETS copse_preloaded_clock LIBRARY DESTINATION lib COMPONENT runtime) # for copse run
install(TARGETS ${COPSE_INSTALLED_PROGRAMS} RUNTIME DESTINATION bin)
install(TARGETS codelet-compiler RUNTIME DESTINATION lib/copse) # popc and libpoplar.so start it
install(DIRECTORY ${PROJECT_SOURCE_DIR}/host-runtime/include/ DESTINATION include
  PATTERN ".clang-tidy" EXCLUDE)
# copse debug loads this file into gdb.
install(FILES ${PROJECT_SOURCE_DIR}/host-runtime/tools/gdb/copse.py DESTINATION share/copse/gdb)

# Where Debian's python3 looks if the prefix is /usr; elsewhere, with this folder in PYTHONPATH.
if(TARGET pva_python)
  install(TARGETS pva_python pvti_python LIBRARY DESTINATION lib/python3/dist-packages COMPONENT python)
  install(FILES ${PROJECT_SOURCE_DIR}/host-runtime/python/src/libpvti.py DESTINATION lib/python3/dist-packages COMPONENT python)
endif()

# Makefiles name the libraries of profiles and trace points; both are part of libpoplar.so.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
foreach(name pva pvti)
  file(CREATE_LINK libpoplar.so ${PROJECT_BINARY_DIR}/lib/lib${name}.so SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/lib/lib${name}.so DESTINATION lib COMPONENT development)
endforeach()

# One package for each name that programs ask for.
file(STRINGS ${PROJECT_SOURCE_DIR}/host-runtime/include/poplar_version.h COPSE_API_VERSION
  REGEX "POPLAR_VERSION_STRING")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" COPSE_API_VERSION "${COPSE_API_VERSION}")
foreach(package poplar popc_bin poplibs gcl popir pva libpvti gccs poplar_test popdist)
  set(version_file ${PROJECT_BINARY_DIR}/package/${package}-config-version.cmake)
  write_basic_package_version_file(${version_file} VERSION ${COPSE_API_VERSION} COMPATIBILITY SameMajorVersion)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/package/${package}-config.cmake ${version_file}
    DESTINATION lib/cmake/${package} COMPONENT development)
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/package/copse-version.cmake @ONLY
  CONTENT "set(COPSE_VERSION @PROJECT_VERSION@)\nset(POPLAR_API_VERSION @COPSE_API_VERSION@)\n")
install(FILES ${PROJECT_BINARY_DIR}/package/copse-version.cmake DESTINATION lib/cmake/poplar COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/cmake/package/gccs-modules/ DESTINATION lib/cmake/gccs/modules COMPONENT development)
# Packages do not need it: their files lie below /usr.
install(FILES ${PROJECT_SOURCE_DIR}/cmake/package/enable.sh DESTINATION . COMPONENT folder)

# pkg-config, relative to its own files: poplar, and one file for each library of operations.
get_property(operations GLOBAL PROPERTY POPLIBS_LIBRARIES)
set(pkg_config_poplar "Poplar programs on emulated IPUs, by Copse ${PROJECT_VERSION}")
foreach(name poplar ${operations} popdist)
  set(summary "${name} of Copse ${PROJECT_VERSION}")
  set(needs "Requires: poplar\n")
  if(name STREQUAL poplar)
    set(summary "${pkg_config_poplar}")
    set(needs "")
  elseif(NOT name STREQUAL popdist)
    get_target_property(linked ${name} INTERFACE_LINK_LIBRARIES)
    list(FILTER linked INCLUDE REGEX "^(poplar|pop[a-z]+)$")
    list(JOIN linked ", " linked)
    set(needs "Requires: ${linked}\n")
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/package/${name}.pc @ONLY CONTENT
"prefix=\${pcfiledir}/../..
Name: @name@
Description: @summary@
Version: @COPSE_API_VERSION@
@needs@Libs: -L\${prefix}/lib -l@name@
Cflags: -I\${prefix}/include
")
  install(FILES ${PROJECT_BINARY_DIR}/package/${name}.pc DESTINATION lib/pkgconfig COMPONENT development)
endforeach()

# Manual pages and completions, from what the programs print for --help.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_FOUND)
  set(described ${COPSE_INSTALLED_PROGRAMS} gcl-costs)
  list(REMOVE_ITEM described copse-accuracy copse-onnx) # commands of copse
  set(help_pages ${PROJECT_BINARY_DIR}/help-pages)
  add_custom_command(OUTPUT ${help_pages}/made
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${help_pages}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/help_pages.py --bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
      --version ${PROJECT_VERSION} --output ${help_pages} ${described} ${COPSE_LAUNCH_COMMANDS}
    COMMAND ${CMAKE_COMMAND} -E touch ${help_pages}/made
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/help_pages.py ${COPSE_INSTALLED_PROGRAMS} gcl-costs
    COMMENT "Writing manual pages and completions" VERBATIM)
  add_custom_target(help_pages ALL DEPENDS ${help_pages}/made)
  install(DIRECTORY ${help_pages}/share DESTINATION .)
endif()

# Licence and examples: a folder of each example, to copy and change.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/copse RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/libcopse-dev RENAME copyright COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/python3-pva RENAME copyright COMPONENT python)
install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION share/doc/copse)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION share/copse COMPONENT development)
