// What else occurs in sources of libraries: nested macros, lists, recursion, jump tables, all operands.
#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"
#include "arch/gc_tile_defines.h"
#include "poplar/AvailableVTypes.h"
#define STACK_FRAME(A) ((A) * 4 + 7 & ~7)
#define CAT(a,b,c...) a##b c
#define FN_NAME(x) .text.fn_##x
#define FN_SECTION(x) .section FN_NAME(x), "ax"
#define STR(x) #x

.macro FOR_EACH op:req, list:vararg
  .irp r, \list
    \op $\r, $\r, $mzero
  .endr
.endm
.macro PUSH first second
  .ifnb \second
    st32 $\second, $sp, $mzero, 1
  .endif
  st32 $\first, $sp, $mzero, 0
.endm
.macro LOOP_BODY N
  .if \N
  { ld64step $a0:1, $mzero, $m0+=, 1
    f32v2add $a2:3, $a0:1, $a2:3 }
  LOOP_BODY (\N - 1)
  .endif
.endm
.macro OUTER NAME
  .macro \NAME\()_inner reg
    zero $\reg
    mov $m3, $\reg
  .endm
.endm
OUTER Foo

FN_SECTION(helper)
DEF_STACK_SIZE_OWN STACK_FRAME(2) FN_NAME(helper)
.type helper, @function
.local helper
helper:
  PUSH m7 m8
  PUSH m7
  Foo_inner m2
  FOR_EACH add, m0, m1, m2
  ldconst $m0, 0x3f800000
  ldconst $a0, -1
  zero $a2:3
  zero $a0
  mov $a0:1, $a2:3
  mov $m0, $a0
  swap16 $a0, $a1
  movnz $m0, $m1, $m2
  or $a0, $azero, 0x3F800000
  and $a0, $a0, 0xFFF
  and $m0, $m0, ~0 & 0xfff
  .if NUM - 1 > 0 && NUM != 4
  nop
  .elseif NUM == 1
  fnop
  .else
  trap 0
  .endif
  .align 8; { rpt 4, 1; fnop }; LOOP_BODY 2
  br $lr
.size helper, . - helper

// Operands with suffixes, literals of all kinds.
.macro STRIDES A B
#if defined(VECTOR_AVAIL_SHORT_SPAN) || \
    defined(VECTOR_AVAIL_SCALED_PTR32)
  .equ packed, (((\A) & 0x3FF) | (((\B) & 0x3FF) << 10))
#endif
.endm
FN_SECTION(operands)
DEF_STACK_USAGE 0 operands
operands:
  STRIDES 4, -7
  setzi $m6, packed
  STRIDES (2 * 8), 1U
  setzi $m7, packed
  {ldz8step $m0, $mzero, $m1+=, 1; fnop}
  ldd16a32 $a0, $m0++, $m1, $m2@
  ldd16a64 $a0:1, $m0 ++, $m1, $m2 @
  { ldd16b16 $a0, $m0++, $m1, $m2@
    f16v4mul $a2:3, $a4:BL, $a2:3 }
  ldb16b16 $a0:1, $m0, $m1++, $m2>>
  ld64a32 $a1:3, $m0++, $m1, $m2
  ld64b16pace $a0:1, $a2, $m4:5+=, $m6, 0b0101
  ld2xst64pace $a0:3, $a6:7, $m4:5+=, $mzero, 0b010101
  { st64pace $azeros, $m4:5+=, $m6, 0b01
    f32v2axpy $a0:1, $a2:3, $azeros }
  f32v2add $a0:1, $a2:B, $a4:5
  f16v2mul $a0, $a1:BU, $a2
  sort4x32lo $a0:1, $ap1, $ap2
  setzi $a0, -1.0h
  setzi $a1, infh
  exitneg $m0
.size operands, . - operands

FN_SECTION(main)
DEF_STACK_SIZE_OWN 16 __runCodelet_Misc
DEF_FUNC_CALL_PTRS __runCodelet_Misc helper
.globl __runCodelet_Misc
.type __runCodelet_Misc, STT_FUNC
.align 4
__runCodelet_Misc: 
  setzi $m0, 'A'
  setzi $m1, table
  mov $sp, $mworker_base
  call $lr, helper
  bri .Ldone; 
.Lunused: { mov $m0, $m1; mov $a0, $a1 } ; { nop ; zero $a0:1 }
.Ldone: exitz $mzero
table:
1: .int helper, __runCodelet_Misc + 4, . - 1b

.size __runCodelet_Misc, .-__runCodelet_Misc
#endif
