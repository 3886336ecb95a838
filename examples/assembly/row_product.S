// RowProduct in assembly: the loop of dot.S for every column.
#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

// Offsets of the fields of the vertex [bytes].
#define ROW_OFFSET 0
#define COLUMNS_OFFSET 4
#define OUT_OFFSET 8
#define GROUPS_OFFSET 12
#define COUNT_OFFSET 16

#define row m0
#define columns m1
#define out m2
#define groups m3
#define count m4
#define xs a0:1
#define ys a2:3
#define clear a6

#define NAME __runCodelet_RowProductInAssembly

.macro LOAD_FIELD register offset
  ld32 $\register, $mvertex_base, $mzero, \offset/4
.endm

DEF_STACK_USAGE 0 NAME
.section .text.NAME, FUNCTION_IS_WORKER
.globl NAME
.type NAME, @function
.align 8
.worker
NAME:
  LOAD_FIELD columns COLUMNS_OFFSET
  LOAD_FIELD out OUT_OFFSET
  LOAD_FIELD groups GROUPS_OFFSET
  LOAD_FIELD count COUNT_OFFSET
  setzi $clear, CSR_W_FP_CLR__ZAACC__MASK << CSR_W_FP_CLR__ZAACC__SHIFT
  add $count, $count, -1
.Lcolumn:
  LOAD_FIELD row ROW_OFFSET
  {
    ld64step $xs, $mzero, $row+=, 1
    uput $FP_CLR, $clear
  }
  rpt $groups, (2f - 1f)/8 - 1
1:
  {
    ld64step $ys, $mzero, $columns+=, 1
    fnop
  }
  {
    ld64step $xs, $mzero, $row+=, 1
    f16v4cmac $xs, $ys
  }
2:
  f32v2gina $a4:5, $azeros, 0
  f32add $a4, $a4, $a5
  st32step $a4, $mzero, $out+=, 1
  brnzdec $count, .Lcolumn
  exitz $mzero
.size NAME, . - NAME
#endif
