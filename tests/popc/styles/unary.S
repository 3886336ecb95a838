// One function for each operator, made by a macro.
#ifdef __IPU__

#include "support/TileConstants.hpp"
#include "poplar/StackSizeDefs.hpp"
#include "poplar/AvailableVTypes.h"
#include "work_division.h.S"

// Vertex state offsets (in bytes)
#define VBASE_IN_PTR_OFFSET  0
#define VBASE_SIZE_OFFSET    4
#define VBASE_OUT_PTR_OFFSET 8

#define inPtr       m0
#define outPtr      m1
#define sizeReg m2
#define workerId    m3
#define mscratch    m4
#define mscratch2   m5
#define count       m6
#define inV0        a0:1
#define inV1        a2:3
#define res         a4:5
#define resLo       a4

#define MANGLED_NAME_HIDDEN(name, op, t) __runCodelet_popops__ ## name ## ___popops__expr__UnaryOpType__ ## op ## _ ## t
#define MANGLED_NAME(name, op, t) MANGLED_NAME_HIDDEN(name, op, t)
#define SECTION_HIDDEN(name, op, t) .text.popops__##name##___##op##_##t
#define SECTION(name, op, t) SECTION_HIDDEN(name, op, t)

/* One function for each operator;
 * a C comment over lines. */
.macro UNARY_OP_FLOAT NAME:req INSTR:req EXTRA="" VALUE=0.0h
DEF_STACK_USAGE 0 \NAME
.section ".text.\NAME", FUNCTION_IS_WORKER
.globl \NAME
.type \NAME, @function
.align 8
.worker
\NAME\():
  ld32   $inPtr, $mvertex_base, $mzero, VBASE_IN_PTR_OFFSET/4
  ld32   $sizeReg, $mvertex_base, $mzero, VBASE_SIZE_OFFSET/4
  ld32   $outPtr, $mvertex_base, VBASE_OUT_PTR_OFFSET/4
.ifnc "\EXTRA",""
  setzi $a6, \VALUE
.endif
  GET_WORKER_ID workerId
  DIVIDE_BY_WORKER sizeReg workerId mscratch count mscratch2
  brz $count, .Lend\@
  ld64step $azeros, $mzero, $inPtr+=, $workerId
  ld64step $azeros, $mzero, $outPtr+=, $workerId
  add $count, $count, -1
.Lloop\@:
  ld64step $inV0, $mzero, $inPtr +=, CTXT_WORKERS
  \INSTR $res, $inV0, $inV0
  { st64step $res, $mzero, $outPtr+=, CTXT_WORKERS; fnop }
  brnzdec $count, .Lloop\@
.Lend\@:
  exitz $mzero
.size \NAME, . - \NAME
.endm

UNARY_OP_FLOAT MANGLED_NAME(UnaryOp1D, SQUARE, float) f32v2mul
UNARY_OP_FLOAT NAME=MANGLED_NAME(UnaryOp1D, ABS, float), INSTR=f32v2absadd
UNARY_OP_FLOAT MANGLED_NAME(UnaryOp1D, DOUBLE, half), f16v4add, extra, -1.0h

#undef sizeReg
.macro CHECK a, rest:vararg
.ifnb \rest
  // number of further arguments is not zero
  .if \a > 3 || \a == 0
    .error "a must be 1..3"
  .endif
.endif
.endm
CHECK 2, 3, 4 + 5, (6, 7)
CHECK 1

#endif // __IPU__
# a comment at the end
