#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

// Starts \worker on all workers, with the supervisor's own state.
.macro START_ALL vertex worker
DEF_STACK_SIZE_OWN 0 __runCodelet_\vertex
.section .text.\vertex
.globl __runCodelet_\vertex
.type __runCodelet_\vertex, @function
.align 4
.supervisor
__runCodelet_\vertex:
  setzi $m4, __runCodelet_\worker
  runall $m4, $m0, 0
  sync TEXCH_SYNCZONE_LOCAL
  br $lr
.size __runCodelet_\vertex, . - __runCodelet_\vertex
.endm

START_ALL Double DoubleWorker
START_ALL Stray StrayWorker
START_ALL Orphan OrphanWorker

// The base that run takes is counted from where memory begins.
DEF_STACK_SIZE_OWN 0 __runCodelet_TwoSums
.section .text.TwoSums
.globl __runCodelet_TwoSums
.align 4
.supervisor
__runCodelet_TwoSums:
  setzi $m1, TMEM_REGION0_BASE_ADDR
  sub $m1, $m0, $m1
  setzi $m2, __runCodelet_parts__SumWorker___int
  setzi $m3, __runCodelet_parts__SumWorker___half
  run $m2, $m1, 0
  run $m3, $m1, 3
  sync TEXCH_SYNCZONE_LOCAL
  br $lr

// Calls functions in C++, with what they take in registers.
DEF_STACK_SIZE_OWN 0 __runCodelet_Calls
.section .text.Calls, FUNCTION_IS_WORKER
.globl __runCodelet_Calls
.align 4
.worker
__runCodelet_Calls:
  ld32 $m7, $mvertex_base, $mzero, 0
  ld32 $m8, $mvertex_base, $mzero, 1
  ld32 $a0, $m7, $mzero, 0
  add $m0, $mzero, -3
  call $lr, _Z6scaledfi
  st32 $a0, $m8, $mzero, 0
  ld32 $a0, $m7, $mzero, 0
  ld32 $a1, $m7, $mzero, 1
  {
    setzi $m0, 1
    f32tof16 $a1, $a1
  }
  call $lr, _ZN5parts4Tool8narrowedEfDhb
  st32 $a0, $m8, $mzero, 1
  setzi $m0, 250
  add $m1, $mzero, -2
  call $lr, _Z5addedhs
  st32 $m0, $m8, $mzero, 2
  call $lr, plain
  st32 $m0, $m8, $mzero, 3
  exitz $mzero
#endif
