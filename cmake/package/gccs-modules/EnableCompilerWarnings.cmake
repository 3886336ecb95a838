# enable_compiler_warnings(): the usual warnings for all targets of this folder and those below it.
# They are no errors, as compilers differ in what they warn of.
function(enable_compiler_warnings)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-Wall> $<$<COMPILE_LANGUAGE:C,CXX>:-Wextra>)
endfunction()
