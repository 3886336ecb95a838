#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"

// *out = *in * *in of the pair of addresses that its state is.
DEF_STACK_USAGE 0 __runCodelet_SquareWorker
.section .text.SquareWorker, FUNCTION_IS_WORKER
.globl __runCodelet_SquareWorker
.type __runCodelet_SquareWorker, @function
.align 4
.worker
__runCodelet_SquareWorker:
  ld32 $m0, $mvertex_base, $mzero, 0
  ld32 $m1, $mvertex_base, $mzero, 1
  ld32 $m2, $m0, $mzero, 0
  mul $m2, $m2, $m2
  st32 $m2, $m1, $mzero, 0
  exitz $mzero
.size __runCodelet_SquareWorker, . - __runCodelet_SquareWorker
#endif
