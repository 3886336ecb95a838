# enable_compiler_warnings(): the usual warnings for all targets of this folder and of folders below
# it. Warnings are not errors, as compilers differ in what they warn of.
function(enable_compiler_warnings)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-Wall> $<$<COMPILE_LANGUAGE:C,CXX>:-Wextra>)
endfunction()
