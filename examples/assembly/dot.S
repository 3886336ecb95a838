// Dot in assembly: four products in two cycles, while the next four elements of x are loaded.
#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

// Offsets of the fields of the vertex [bytes].
#define X_OFFSET 0
#define Y_OFFSET 4
#define RESULT_OFFSET 8
#define GROUPS_OFFSET 12

#define x m0
#define y m1
#define result m2
#define groups m3
#define xs a0:1
#define ys a2:3

#define NAME __runCodelet_DotInAssembly

DEF_STACK_USAGE 0 NAME
.section .text.NAME, FUNCTION_IS_WORKER
.globl NAME
.type NAME, @function
.align 8
.worker
NAME:
  setzi $a4, CSR_W_FP_CLR__ZAACC__MASK << CSR_W_FP_CLR__ZAACC__SHIFT
  {
    ld32 $x, $mvertex_base, $mzero, X_OFFSET/4
    uput $FP_CLR, $a4
  }
  ld32 $y, $mvertex_base, $mzero, Y_OFFSET/4
  ld32 $groups, $mvertex_base, $mzero, GROUPS_OFFSET/4
  ld32 $result, $mvertex_base, $mzero, RESULT_OFFSET/4
  ld64step $xs, $mzero, $x+=, 1
  rpt $groups, (2f - 1f)/8 - 1
1:
  {
    ld64step $ys, $mzero, $y+=, 1
    fnop
  }
  {
    ld64step $xs, $mzero, $x+=, 1       // the last time beyond the end, which is allowed
    f16v4cmac $xs, $ys                  // what was loaded before
  }
2:
  f32v2gina $a4:5, $azeros, 0
  f32add $a4, $a4, $a5
  st32 $a4, $result, $mzero, 0
  exitz $mzero
.size NAME, . - NAME
#endif
