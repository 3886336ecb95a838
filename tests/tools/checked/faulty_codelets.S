// ReadsBehindInAssembly of faulty_codelets.cpp.
#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"

#define NAME __runCodelet_ReadsBehindInAssembly

DEF_STACK_USAGE 0 NAME
.section .text.NAME, FUNCTION_IS_WORKER
.globl NAME
.type NAME, @function
.align 8
.worker
NAME:
  ld32 $m0, $mvertex_base, $mzero, 0
  ld32 $m1, $mvertex_base, $mzero, 1
  ld32 $m2, $mvertex_base, $mzero, 2
  shl $m2, $m2, 2
  ld32 $a0, $m0, $m2, 0     // the fault of ReadsBehindInAssembly
  st32 $a0, $m1, $mzero, 0
  exitz $mzero
.size NAME, .-NAME
#endif
