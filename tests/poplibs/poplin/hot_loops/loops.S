// Inner products as an assembly programmer writes them: a supervisor loads the units' weights and
// starts the workers, for each block of outputs and each block of inputs. Workers give the units a
// row after the other; partial sums come in, and results go out, while inputs of other rows are
// multiplied.
#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

// The supervisor's stack, which the workers see as their state.
#define IN 0
#define OUT 1
#define WORKER_BYTES 2
#define TURNS 3

.macro LOAD_WEIGHTS COUNT
  .equ index, 0
  .rept \COUNT / 2
    ld128putcs index
    .equ index, index + 2
  .endr
.endm

.macro SUPERVISOR NAME COUNT FIRST NEXT
  DEF_STACK_USAGE 16 \NAME
  .section .text.\NAME, "ax"
  .globl \NAME
  .type \NAME, @function
  .align 8
  .supervisor
\NAME\():
  ld32 $m1, $m0, $mzero, 1
  ld32 $m2, $m0, $mzero, 2
  ld32 $m3, $m0, $mzero, 5
  ld32 $m4, $m0, $mzero, 8
  ld32 $m5, $m0, $mzero, 4
  add $sp, $sp, -16
  put CSR_S_CCCSLOAD__INDEX, $m1
  st32 $m3, $sp, $mzero, WORKER_BYTES
  st32 $m4, $sp, $mzero, TURNS
  add $m5, $m5, -1
1:
  ld32 $m1, $m0, $mzero, 0
  ld32 $m3, $m0, $mzero, 3
  st32 $m2, $sp, $mzero, OUT
  setzi $m4, \FIRST
  ld32 $m6, $m0, $mzero, 6
  add $m3, $m3, -1
2:
  st32 $m1, $sp, $mzero, IN
  LOAD_WEIGHTS \COUNT
  runall $m4, $sp, 0
  add $m1, $m1, $m6
  setzi $m4, \NEXT
  sync TEXCH_SYNCZONE_LOCAL
  brnzdec $m3, 2b
  ld32 $m6, $m0, $mzero, 7
  add $m2, $m2, $m6
  brnzdec $m5, 1b
  add $sp, $sp, 16
  br $lr
  .size \NAME, . - \NAME
.endm

// $m2: the worker's inputs, $m3: its results, $m7: turns.
.macro WORKER NAME OUTS_PER_IN
  DEF_STACK_USAGE 0 \NAME
  .section .text.\NAME, FUNCTION_IS_WORKER
  .type \NAME, @function
  .align 8
  .worker
\NAME\():
  { get $m0, $WSR
    setzi $a0, CSR_W_FP_CLR__ZAACC__MASK << CSR_W_FP_CLR__ZAACC__SHIFT }
  { and $m0, $m0, CSR_W_WSR__CTXTID_M1__MASK
    uput $FP_CLR, $a0 }
  ld32 $m1, $mvertex_base, $mzero, WORKER_BYTES
  ld32 $m2, $mvertex_base, $mzero, IN
  ld32 $m3, $mvertex_base, $mzero, OUT
  ld32 $m7, $mvertex_base, $mzero, TURNS
  mul $m0, $m0, $m1
  add $m2, $m2, $m0
  .rept \OUTS_PER_IN
    add $m3, $m3, $m0
  .endr
.endm

.macro REPEAT COUNT BYTES
  .align 8
  { rpt \COUNT, \BYTES / 8 - 1
    fnop }
.endm

// Four inputs of a row in each phase. Results are stored two phases late, so that they and the
// partial sums, of the same memory, lie an odd number of vectors apart.
.macro HALF_WORKERS OP FIRST NEXT
WORKER \FIRST 1
  tapack $m4:5, $m2, $m3, $m3
  ld2x64pace $a0:1, $azeros, $m4:5+=, $mzero, 0b0100
  { ld2x64pace $a0:1, $azeros, $m4:5+=, $mzero, 0b0100
    \OP $a4:5, $a0:1, $azeros, TAMP_F16V4_E4_P0 }
  { ld2x64pace $a0:1, $azeros, $m4:5+=, $mzero, 0b0100
    \OP $a6:7, $a0:1, $azeros, TAMP_F16V4_E4_P1 }
  { ld2x64pace $a0:1, $azeros, $m4:5+=, $mzero, 0b0100
    \OP $a4:5, $a0:1, $azeros, TAMP_F16V4_E4_P2 }
  { ld2x64pace $a0:1, $azeros, $m4:5+=, $mzero, 0b0100
    \OP $a6:7, $a0:1, $azeros, TAMP_F16V4_E4_P3 }
  { ld2x64pace $a0:1, $azeros, $m4:5+=, $mzero, 0b0100
    \OP $a4:5, $a0:1, $azeros, TAMP_F16V4_E4_P0 }
  { ld2x64pace $a0:1, $azeros, $m4:5+=, $mzero, 0b0100
    \OP $a6:7, $a0:1, $azeros, TAMP_F16V4_E4_P1 }
  REPEAT $m7, 32
  { ldst64pace $a0:1, $a4:5, $m4:5+=, $mzero, 0
    \OP $a4:5, $a0:1, $azeros, TAMP_F16V4_E4_P2 }
  { ldst64pace $a0:1, $a6:7, $m4:5+=, $mzero, 0
    \OP $a6:7, $a0:1, $azeros, TAMP_F16V4_E4_P3 }
  { ldst64pace $a0:1, $a4:5, $m4:5+=, $mzero, 0
    \OP $a4:5, $a0:1, $azeros, TAMP_F16V4_E4_P0 }
  { ldst64pace $a0:1, $a6:7, $m4:5+=, $mzero, 0
    \OP $a6:7, $a0:1, $azeros, TAMP_F16V4_E4_P1 }
  HALF_DRAIN \OP
  .size \FIRST, . - \FIRST

WORKER \NEXT 1
  mov $m1, $m3
  ld64step $a2:3, $mzero, $m3+=, 1
  { ld64step $a2:3, $mzero, $m3+=, 1
    \OP $azeros, $azeros, $a2:3, TAMP_F16V4_E4_P0 }
  { ld64step $a2:3, $mzero, $m3+=, 1
    \OP $azeros, $azeros, $a2:3, TAMP_F16V4_E4_P1 }
  { ld64step $a2:3, $mzero, $m3+=, 1
    \OP $azeros, $azeros, $a2:3, TAMP_F16V4_E4_P2 }
  { tapack $m4:5, $m2, $m3, $m1
    \OP $azeros, $azeros, $a2:3, TAMP_F16V4_E4_P3 }
  ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    \OP $a4:5, $a0:1, $a2:3, TAMP_F16V4_E4_P0 }
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    \OP $a6:7, $a0:1, $a2:3, TAMP_F16V4_E4_P1 }
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    \OP $a4:5, $a0:1, $a2:3, TAMP_F16V4_E4_P2 }
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    \OP $a6:7, $a0:1, $a2:3, TAMP_F16V4_E4_P3 }
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    \OP $a4:5, $a0:1, $a2:3, TAMP_F16V4_E4_P0 }
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    \OP $a6:7, $a0:1, $a2:3, TAMP_F16V4_E4_P1 }
  REPEAT $m7, 32
  { ld2xst64pace $a0:3, $a4:5, $m4:5+=, $mzero, 0
    \OP $a4:5, $a0:1, $a2:3, TAMP_F16V4_E4_P2 }
  { ld2xst64pace $a0:3, $a6:7, $m4:5+=, $mzero, 0
    \OP $a6:7, $a0:1, $a2:3, TAMP_F16V4_E4_P3 }
  { ld2xst64pace $a0:3, $a4:5, $m4:5+=, $mzero, 0
    \OP $a4:5, $a0:1, $a2:3, TAMP_F16V4_E4_P0 }
  { ld2xst64pace $a0:3, $a6:7, $m4:5+=, $mzero, 0
    \OP $a6:7, $a0:1, $a2:3, TAMP_F16V4_E4_P1 }
  HALF_DRAIN \OP
  .size \NEXT, . - \NEXT
.endm
.macro HALF_DRAIN OP
  { ldst64pace $a0:1, $a4:5, $m4:5+=, $mzero, 0
    \OP $a4:5, $a0:1, $azeros, TAMP_F16V4_E4_P2 }
  { st64pace $a6:7, $m4:5+=, $mzero, 0
    \OP $a6:7, $a0:1, $azeros, TAMP_F16V4_E4_P3 }
  { st64pace $a4:5, $m4:5+=, $mzero, 0
    \OP $a4:5, $azeros, $azeros, TAMP_F16V4_E4_P0 }
  { st64pace $a6:7, $m4:5+=, $mzero, 0
    \OP $a6:7, $azeros, $azeros, TAMP_F16V4_E4_P1 }
  { st64pace $a4:5, $m4:5+=, $mzero, 0
    \OP $a4:5, $azeros, $azeros, TAMP_F16V4_E4_P2 }
  { st64pace $a6:7, $m4:5+=, $mzero, 0
    \OP $a6:7, $azeros, $azeros, TAMP_F16V4_E4_P3 }
  st64pace $a4:5, $m4:5+=, $mzero, 0
  st64pace $a6:7, $m4:5+=, $mzero, 0
  exitz $mzero
.endm

// One input of a row in each phase: a load brings two. The second set of units works a phase behind
// the first, so results of the two sets leave by turns.
.macro FLOAT_WORKERS OP FIRST NEXT
WORKER \FIRST 2
  tapack $m4:5, $m2, $m3, $m3
  ld2x64pace $a2:3, $azeros, $m4:5+=, $mzero, 0b0100
  \OP $a4:5, $a2, $azeros, TAMP_F32_E4_P0
  { ld2x64pace $a2:3, $azeros, $m4:5+=, $mzero, 0b0100
    \OP $a6:7, $a3, $azeros, TAMP_F32_E4_P1 }
  \OP $azeros, $a2, $azeros, TAMP_F32_E4_P2
  { ld2x64pace $a2:3, $azeros, $m4:5+=, $mzero, 0b0100
    \OP $a6:7, $a3, $azeros, TAMP_F32_E4_P3 }
  \OP $azeros, $a2, $azeros, TAMP_F32_E4_P4
  { ld2x64pace $a2:3, $azeros, $m4:5+=, $mzero, 0b0100
    \OP $a6:7, $a3, $azeros, TAMP_F32_E4_P5 }
  \OP $azeros, $a2, $azeros, TAMP_F32_E4_P6
  { ld2x64pace $a2:3, $azeros, $m4:5+=, $mzero, 0b0100
    \OP $a6:7, $a3, $azeros, TAMP_F32_E4_P7 }
  \OP $a4:5, $a2, $azeros, TAMP_F32_E4_P0
  { ld2x64pace $a2:3, $azeros, $m4:5+=, $mzero, 0b0100
    \OP $a6:7, $a3, $azeros, TAMP_F32_E4_P1 }
  REPEAT $m7, 64
  FIRST_FLOATS \OP TAMP_F32_E4_P2 TAMP_F32_E4_P3
  FIRST_FLOATS \OP TAMP_F32_E4_P4 TAMP_F32_E4_P5
  FIRST_FLOATS \OP TAMP_F32_E4_P6 TAMP_F32_E4_P7
  FIRST_FLOATS \OP TAMP_F32_E4_P0 TAMP_F32_E4_P1
  // After the loop: inputs of the last row are still to be loaded.
  FIRST_FLOATS \OP TAMP_F32_E4_P2 TAMP_F32_E4_P3
  FIRST_FLOATS \OP TAMP_F32_E4_P4 TAMP_F32_E4_P5
  FLOAT_DRAIN \OP
  .size \FIRST, . - \FIRST

WORKER \NEXT 2
  mov $m1, $m3
  ld64step $a0:1, $mzero, $m3+=, 1
  { ld64step $a0:1, $mzero, $m3+=, 1
    \OP $azeros, $azero, $a0:1, TAMP_F32_E4_P0 }
  { ld64step $a0:1, $mzero, $m3+=, 1
    \OP $azeros, $azero, $a0:1, TAMP_F32_E4_P1 }
  { ld64step $a0:1, $mzero, $m3+=, 1
    \OP $azeros, $azero, $a0:1, TAMP_F32_E4_P2 }
  { ld64step $a0:1, $mzero, $m3+=, 1
    \OP $azeros, $azero, $a0:1, TAMP_F32_E4_P3 }
  { ld64step $a0:1, $mzero, $m3+=, 1
    \OP $azeros, $azero, $a0:1, TAMP_F32_E4_P4 }
  { ld64step $a0:1, $mzero, $m3+=, 1
    \OP $azeros, $azero, $a0:1, TAMP_F32_E4_P5 }
  { ld64step $a0:1, $mzero, $m3+=, 1
    \OP $azeros, $azero, $a0:1, TAMP_F32_E4_P6 }
  { tapack $m4:5, $m3, $m2, $m1
    \OP $azeros, $azero, $a0:1, TAMP_F32_E4_P7 }
  ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
  BEGIN_FLOATS \OP TAMP_F32_E4_P0 TAMP_F32_E4_P1
  BEGIN_FLOATS \OP TAMP_F32_E4_P2 TAMP_F32_E4_P3
  BEGIN_FLOATS \OP TAMP_F32_E4_P4 TAMP_F32_E4_P5
  BEGIN_FLOATS \OP TAMP_F32_E4_P6 TAMP_F32_E4_P7
  BEGIN_FLOATS \OP TAMP_F32_E4_P0 TAMP_F32_E4_P1
  REPEAT $m7, 64
  NEXT_FLOATS \OP TAMP_F32_E4_P2 TAMP_F32_E4_P3
  NEXT_FLOATS \OP TAMP_F32_E4_P4 TAMP_F32_E4_P5
  NEXT_FLOATS \OP TAMP_F32_E4_P6 TAMP_F32_E4_P7
  NEXT_FLOATS \OP TAMP_F32_E4_P0 TAMP_F32_E4_P1
  // After the loop: inputs of the last row are still to be loaded.
  NEXT_FLOATS \OP TAMP_F32_E4_P2 TAMP_F32_E4_P3
  NEXT_FLOATS \OP TAMP_F32_E4_P4 TAMP_F32_E4_P5
  FLOAT_DRAIN \OP
  .size \NEXT, . - \NEXT
.endm
.macro FIRST_FLOATS OP EVEN ODD
  { st64pace $a4:5, $m4:5+=, $mzero, 0
    \OP $a4:5, $a2, $azeros, \EVEN }
  { ldst64pace $a2:3, $a6:7, $m4:5+=, $mzero, 0
    \OP $a6:7, $a3, $azeros, \ODD }
.endm
.macro BEGIN_FLOATS OP EVEN ODD
  { ld2x64pace $a0:1, $azeros, $m4:5+=, $mzero, 0b0100
    \OP $a4:5, $a2, $a0:1, \EVEN }
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    \OP $a6:7, $a3, $a0:1, \ODD }
.endm
.macro NEXT_FLOATS OP EVEN ODD
  { ldst64pace $a0:1, $a4:5, $m4:5+=, $mzero, 0
    \OP $a4:5, $a2, $a0:1, \EVEN }
  { ld2xst64pace $a0:3, $a6:7, $m4:5+=, $mzero, 0
    \OP $a6:7, $a3, $a0:1, \ODD }
.endm
.macro DRAIN_FLOATS OP EVEN ODD
  { st64pace $a4:5, $m4:5+=, $mzero, 0
    \OP $a4:5, $azero, $azeros, \EVEN }
  { st64pace $a6:7, $m4:5+=, $mzero, 0
    \OP $a6:7, $azero, $azeros, \ODD }
.endm
// The last two inputs, which are loaded, and the results that are still in the units.
.macro FLOAT_DRAIN OP
  { st64pace $a4:5, $m4:5+=, $mzero, 0
    \OP $a4:5, $a2, $azeros, TAMP_F32_E4_P6 }
  { st64pace $a6:7, $m4:5+=, $mzero, 0
    \OP $a6:7, $a3, $azeros, TAMP_F32_E4_P7 }
  DRAIN_FLOATS \OP TAMP_F32_E4_P0 TAMP_F32_E4_P1
  DRAIN_FLOATS \OP TAMP_F32_E4_P2 TAMP_F32_E4_P3
  DRAIN_FLOATS \OP TAMP_F32_E4_P4 TAMP_F32_E4_P5
  DRAIN_FLOATS \OP TAMP_F32_E4_P6 TAMP_F32_E4_P7
  st64pace $a4:5, $m4:5+=, $mzero, 0
  st64pace $a6:7, $m4:5+=, $mzero, 0
  exitz $mzero
.endm

SUPERVISOR __runCodelet_InnerProductLoop___half_float 32 firstHalfFloat nextHalfFloat
SUPERVISOR __runCodelet_InnerProductLoop___half_half 64 firstHalfHalf nextHalfHalf
SUPERVISOR __runCodelet_InnerProductLoop___float_float 64 firstFloat nextFloat
HALF_WORKERS f16v4sisoamp firstHalfFloat nextHalfFloat
HALF_WORKERS f16v4hihov4amp firstHalfHalf nextHalfHalf
FLOAT_WORKERS f32sisov2amp firstFloat nextFloat
#endif
