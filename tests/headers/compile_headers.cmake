# cmake -D COMPILER=.. -D STANDARD=.. -D "INCLUDES=a;b" -D "HEADERS=a;b" [-D TOGETHER=ON] -D
# "SOURCES=x.cpp" -P compile_headers.cmake
#   Compiles each header alone, or all TOGETHER, and then each source.
set(flags -std=c++${STANDARD} -fsyntax-only -Wall -Wextra -Werror -pedantic)
foreach(include IN LISTS INCLUDES)
  list(APPEND flags -I${include})
endforeach()
set(failed)

macro(check what)
  if(NOT result EQUAL 0)
    message("${what}:\n${output}")
    list(APPEND failed ${what})
  endif()
endmacro()

if(TOGETHER)
  list(TRANSFORM HEADERS PREPEND "-include;" OUTPUT_VARIABLE all)
  execute_process(COMMAND ${COMPILER} ${flags} -x c++ ${all} /dev/null
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  check("all headers in one source")
else()
  foreach(header IN LISTS HEADERS)
    # A source may include a header twice.
    execute_process(COMMAND ${COMPILER} ${flags} -x c++ -include ${header} -include ${header} /dev/null
      RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    check(${header})
  endforeach()
endif()
foreach(source IN LISTS SOURCES)
  execute_process(COMMAND ${COMPILER} ${flags} ${source}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  check(${source})
endforeach()
if(failed)
  message(FATAL_ERROR "these do not compile as C++${STANDARD} with ${COMPILER}: ${failed}")
endif()
