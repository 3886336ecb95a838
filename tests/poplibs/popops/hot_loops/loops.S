// The inner loops of common operations as an assembly programmer writes them. Fields are in the
// order of loops.cpp, a word each; `steps` counts what a turn of the loop writes, or reads: 64
// bits.
#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"

.macro BEGIN NAME
  DEF_STACK_USAGE 0 \NAME
  .section .text.\NAME, FUNCTION_IS_WORKER
  .globl \NAME
  .type \NAME, @function
  .align 8
  .worker
\NAME\():
.endm
// A loop's body begins at a multiple of 8 bytes.
.macro REPEAT COUNT BYTES
  .align 8
  { rpt \COUNT, \BYTES / 8 - 1
    fnop }
.endm

// Loads run a turn ahead of the sum.
BEGIN __runCodelet_AddLoop
  ld32 $m0, $mvertex_base, $mzero, 0
  ld32 $m1, $mvertex_base, $mzero, 1
  ld32 $m4, $mvertex_base, $mzero, 2
  ld32 $m5, $mvertex_base, $mzero, 3
  tapack $m2:3, $m0, $m1, $m4
  ld2x64pace $a0:1, $a2:3, $m2:3+=, $mzero, 0
  add $m5, $m5, -1
  nop
  REPEAT $m5, 16
  { ld2x64pace $a0:1, $a2:3, $m2:3+=, $mzero, 0
    f32v2add $a4:5, $a0:1, $a2:3 }
  { st64pace $a4:5, $m2:3+=, $mzero, 0
    fnop }
  { nop
    f32v2add $a4:5, $a0:1, $a2:3 }
  st64pace $a4:5, $m2:3+=, $mzero, 0
  exitz $mzero
  .size __runCodelet_AddLoop, . - __runCodelet_AddLoop

// Loads run a turn ahead of the sum. The next product replaces the sum while this is stored.
BEGIN __runCodelet_ScaledAddLoop
  ld32 $m0, $mvertex_base, $mzero, 0
  ld32 $m1, $mvertex_base, $mzero, 1
  ld32 $a6, $mvertex_base, $mzero, 2
  ld32 $m5, $mvertex_base, $mzero, 3
  tapack $m2:3, $m0, $m1, $m0
  ld2x64pace $a0:1, $a2:3, $m2:3+=, $mzero, 0
  { add $m5, $m5, -1
    f32v2mul $a4:5, $a6:B, $a2:3 }
  REPEAT $m5, 16
  { ld2x64pace $a0:1, $a2:3, $m2:3+=, $mzero, 0
    f32v2add $a4:5, $a0:1, $a4:5 }
  { st64pace $a4:5, $m2:3+=, $mzero, 0
    f32v2mul $a4:5, $a6:B, $a2:3 }
  { nop
    f32v2add $a4:5, $a0:1, $a4:5 }
  st64pace $a4:5, $m2:3+=, $mzero, 0
  exitz $mzero
  .size __runCodelet_ScaledAddLoop, . - __runCodelet_ScaledAddLoop

// Four floats are loaded, as two streams, while the four before them are converted and stored.
BEGIN __runCodelet_CastLoop
  ld32 $m0, $mvertex_base, $mzero, 0
  ld32 $m1, $mvertex_base, $mzero, 1
  ld32 $m5, $mvertex_base, $mzero, 2
  add $m4, $m0, 8
  ld64step $a0:1, $mzero, $m0+=, 2
  ld64step $a2:3, $mzero, $m4+=, 2
  tapack $m2:3, $m4, $mzero, $m1
  setzi $m6, 2
  add $m5, $m5, -1
  nop
  REPEAT $m5, 16
  { ld64step $a0:1, $mzero, $m0+=, 2
    f32v4tof16 $a4:5, $a0:3 }
  { ldst64pace $a2:3, $a4:5, $m2:3+=, $m6, 0b0001
    fnop }
  { nop
    f32v4tof16 $a4:5, $a0:3 }
  st64pace $a4:5, $m2:3+=, $mzero, 0
  exitz $mzero
  .size __runCodelet_CastLoop, . - __runCodelet_CastLoop

BEGIN __runCodelet_FillLoop
  ld32 $m0, $mvertex_base, $mzero, 0
  ld32 $a0, $mvertex_base, $mzero, 1
  ld32 $a1, $mvertex_base, $mzero, 1
  ld32 $m5, $mvertex_base, $mzero, 2
  REPEAT $m5, 8
  { st64step $a0:1, $mzero, $m0+=, 1
    fnop }
  exitz $mzero
  .size __runCodelet_FillLoop, . - __runCodelet_FillLoop

.macro SUM_ROW
  { ld64step $a0:1, $mzero, $m0+=, 1
    mov $a2:3, $azeros }
  { add $m4, $m5, -1
    fnop }
  REPEAT $m4, 8
  { ld64step $a0:1, $mzero, $m0+=, 1
    f32v2add $a2:3, $a2:3, $a0:1 }
  { nop
    f32v2add $a2:3, $a2:3, $a0:1 }
  { nop
    f32add $a2, $a2, $a3 }
  { st32step $a2, $mzero, $m1+=, 1
    fnop }
.endm
BEGIN __runCodelet_SumLoop
  ld32 $m0, $mvertex_base, $mzero, 0
  ld32 $m1, $mvertex_base, $mzero, 1
  ld32 $m5, $mvertex_base, $mzero, 2
  nop
  SUM_ROW
  SUM_ROW
  exitz $mzero
  .size __runCodelet_SumLoop, . - __runCodelet_SumLoop

// Loads run a vector ahead of the stores, within a row.
BEGIN __runCodelet_SliceLoop
  ld32 $m0, $mvertex_base, $mzero, 0
  ld32 $m1, $mvertex_base, $mzero, 1
  ld32 $m2, $mvertex_base, $mzero, 2
  ld32 $m6, $mvertex_base, $mzero, 3
  ld32 $m7, $mvertex_base, $mzero, 4
  ld32 $m8, $mvertex_base, $mzero, 5
  ld32 $m9, $mvertex_base, $mzero, 6
  ld32 $m10, $mvertex_base, $mzero, 7
  add $m7, $m7, -1
  add $m10, $m10, -1
  .align 8
1:
  ld32step $m3, $mzero, $m1+=, 1
  sub $m3, $m3, $m8
  cmpult $m5, $m3, $m9
  brz $m5, 2f
  mul $m3, $m3, $m6
  add $m3, $m3, $m0
  ld64step $a0:1, $mzero, $m3+=, 1
  tapack $m4:5, $m3, $mzero, $m2
  REPEAT $m7, 8
  { ldst64pace $a0:1, $a0:1, $m4:5+=, $mzero, 0
    fnop }
  st64pace $a0:1, $m4:5+=, $mzero, 0
2:
  add $m2, $m2, $m6
  brnzdec $m10, 1b
  exitz $mzero
  .size __runCodelet_SliceLoop, . - __runCodelet_SliceLoop
#endif
