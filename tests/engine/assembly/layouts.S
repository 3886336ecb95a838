// The vertices of layouts.cpp, which read their states as the hardware lays them out.
#ifdef __IPU__
#include "poplar/AvailableVTypes.h"
#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

#define SUM_NAME(layout, align) __runCodelet_SumAsm___poplar__VectorLayout__##layout##_##align

#define inPtr m0
#define count m1
#define outPtr m2
#define total m3
#define value m4
#define scratch m5

.macro BEGIN NAME
  DEF_STACK_USAGE 0 \NAME
  .section .text.\NAME, FUNCTION_IS_WORKER
  .globl \NAME
  .type \NAME, @function
  .align 8
  .worker
\NAME\():
.endm

// Sums $count words from $inPtr on into $total.
.macro SUM_WORDS
  brz $count, 2f
  add $count, $count, -1
1:
  ld32step $value, $mzero, $inPtr+=, 1
  add $total, $total, $value
  brnzdec $count, 1b
2:
.endm

// PTR_BYTES: of the field x; SHIFT: of what is in 16 bits; what is left of a word goes by MASK.
.macro SUM_OF NAME PTR_BYTES=4 SHIFT=0 MASK=0xFFFFFFFF BASE=0
  BEGIN \NAME
  zero $total
.if \PTR_BYTES == 2
  ldz16 $inPtr, $mvertex_base, $mzero, 0
  shl $inPtr, $inPtr, \SHIFT
  .equ NEXT, 1
.else
  ld32 $inPtr, $mvertex_base, 0
  .equ NEXT, \PTR_BYTES / 4
.endif
.if \MASK != 0xFFFFFFFF
  ldconst $scratch, \MASK
  and $inPtr, $inPtr, $scratch
.endif
.ifne \BASE
  setzi $scratch, \BASE
  or $inPtr, $inPtr, $scratch
.endif
  ld32 $count, $mvertex_base, $mzero, NEXT
  ld32 $outPtr, $mvertex_base, $mzero, (NEXT + 1)
  SUM_WORDS
  st32 $total, $outPtr, $mzero, 0
  exitz $mzero
  .size \NAME, . - \NAME
.endm

SUM_OF SUM_NAME(ONE___PTR, 4)
SUM_OF SUM_NAME(SPAN, 8), 8
SUM_OF SUM_NAME(SHORT___SPAN, 4) MASK=0xFFFFF
SUM_OF SUM_NAME(SCALED___PTR128, 16) PTR_BYTES=2 SHIFT=4
#ifdef VECTOR_AVAIL_SCALED_PTR32
SUM_OF SUM_NAME(COMPACT___PTR, 4) PTR_BYTES=2 SHIFT=2 BASE=TMEM_REGION0_BASE_ADDR
#else
SUM_OF SUM_NAME(COMPACT___PTR, 4)
#endif
#ifdef VECTOR_AVAIL_SCALED_PTR64
SUM_OF SUM_NAME(COMPACT___PTR, 8) PTR_BYTES=2 SHIFT=3
SUM_OF SUM_NAME(COMPACT___PTR, 16) PTR_BYTES=2 SHIFT=3
#else
SUM_OF SUM_NAME(COMPACT___PTR, 8)
SUM_OF SUM_NAME(COMPACT___PTR, 16)
#endif

// $m6: sums; $m7: rows; $m8: word of the next row; $m9: what the rows' offsets count from.
.macro STORE_ROW_SUM LENGTH
  mul $value, $\LENGTH, 1000
  add $total, $total, $value
  st32step $total, $mzero, $m6+=, 1
.endm

BEGIN __runCodelet_RowsAsm___poplar__VectorListLayout__COMPACT___DELTAN
  ld32 $m9, $mvertex_base, $mzero, 0
  ld32 $m6, $mvertex_base, $mzero, 2
#ifdef VECTORLIST_AVAIL_DELTAN
  // 20 bits of address and 12 of the count; 16 bits of the table, in words; then another field.
  ldz16 $m8, $mvertex_base, $mzero, 2
  shr $m7, $m9, 20
  ldconst $scratch, 0xFFFFF
  and $m9, $m9, $scratch
  shl $m8, $m8, 2
  setzi $scratch, TMEM_REGION0_BASE_ADDR
  add $m8, $m8, $scratch
#define ROW_OFFSET_SHIFT 0
#define ROW_COUNT_SHIFT 18
#else
  ld32 $m8, $mvertex_base, $mzero, 1
  // 24 bits of each address; the count is in what is left of both words, its high bits first.
  shr $m7, $m9, 24
  shl $m7, $m7, 8
  shr $value, $m8, 24
  or $m7, $m7, $value
  ldconst $scratch, 0xFFFFFF
  and $m9, $m9, $scratch
  and $m8, $m8, $scratch
#define ROW_OFFSET_SHIFT 3
#define ROW_COUNT_SHIFT 18
#endif
  brz $m7, .Lno_rows
  add $m7, $m7, -1
.Lrow:
  ld32step $inPtr, $mzero, $m8+=, 1
  shr $count, $inPtr, ROW_COUNT_SHIFT
  mov $m10, $count
  setzi $scratch, (1 << ROW_COUNT_SHIFT) - 1
  and $inPtr, $inPtr, $scratch
  shl $inPtr, $inPtr, ROW_OFFSET_SHIFT
  add $inPtr, $inPtr, $m9
  zero $total
  SUM_WORDS
  STORE_ROW_SUM m10
  brnzdec $m7, .Lrow
.Lno_rows:
  exitz $mzero

BEGIN __runCodelet_NestedAsm
  ld32 $m8, $mvertex_base, $mzero, 0
  ld32 $m7, $mvertex_base, $mzero, 1
  ld32 $m6, $mvertex_base, $mzero, 2
  add $m7, $m7, -1
3:
  ld32step $inPtr, $mzero, $m8+=, 1
  shr $count, $inPtr, 20
  mov $m10, $count
  ldconst $scratch, 0xFFFFF
  and $inPtr, $inPtr, $scratch
  zero $total
  SUM_WORDS
  STORE_ROW_SUM m10
  brnzdec $m7, 3b
  exitz $mzero

BEGIN __runCodelet_MixedAsm
  ldz8 $m0, $mvertex_base, $mzero, 0   // flag
  lds16 $m1, $mvertex_base, $mzero, 2/2
  ldb16 $a0, $mvertex_base, $mzero, 4/2
  ldz8 $m2, $mvertex_base, $mzero, 6
  ld32 $a1, $mvertex_base, $mzero, 8/4
  ld32 $m3, $mvertex_base, $mzero, 12/4
  ld32 $m4, $mvertex_base, $mzero, 16/4
  {
    movnz $m2, $m0, $m1
    f16tof32 $a0, $a0
  }
  {
    ld32 $m5, $m3, $mzero, 0
    f32mul $a0, $a0, $a1
  }
  add $m5, $m5, $m2
  st32 $m5, $m3, $mzero, 0
  st32 $a0, $m4, $mzero, 0
  exitz $mzero

// Its argument and result are in $m0; it keeps a word on the stack.
.section .text.times_three, FUNCTION_IS_WORKER
.type times_three, @function
.align 4
times_three:
  add $sp, $sp, -8
  st32 $m0, $sp, $mzero, 0
  shl $m0, $m0, 1
  ld32 $m1, $sp, $mzero, 0
  add $m0, $m0, $m1
  add $sp, $sp, 8
  br $lr
.size times_three, . - times_three
DEF_STACK_SIZE_OWN 8 times_three

// Element k, k + 6, ... of worker k. Used by both entries below.
.macro TRIPLE_MY_ELEMENTS
  get $m7, $WSR
  and $m7, $m7, CSR_W_WSR__CTXTID_M1__MASK
  mov $sp, $mworker_base
  ld32 $m4, $mvertex_base, $mzero, 0
  ld32 $m5, $mvertex_base, $mzero, 1
  ld32 $m6, $mvertex_base, $mzero, 2
1:
  cmpult $m0, $m7, $m6
  brz $m0, 2f
  ld32 $m0, $m4, $mzero, $m7
  call $lr, times_three
  stm32 $m0, $m5, $m7
  add $m7, $m7, CTXT_WORKERS
  bri 1b
2:
  exitz $mzero
.endm

DEF_STACK_SIZE_OWN 0 __runCodelet_TripleAll
.section .text.TripleAll, FUNCTION_IS_WORKER
.globl __runCodelet_TripleAll
.align 4
__runCodelet_TripleAll:
  TRIPLE_MY_ELEMENTS

DEF_STACK_SIZE_OWN 8 __runCodelet_TripleSupervised
.section .text.TripleSupervised
.globl __runCodelet_TripleSupervised
.align 4
.supervisor
__runCodelet_TripleSupervised:
  add $sp, $sp, -8
  st32 $lr, $sp, $mzero, 0
  setzi $m1, .Lworker
  runall $m1, $m0, 0
  sync TEXCH_SYNCZONE_LOCAL
  ld32 $lr, $sp, $mzero, 0
  add $sp, $sp, 8
  br $lr
.worker
.Lworker:
  TRIPLE_MY_ELEMENTS
#endif
