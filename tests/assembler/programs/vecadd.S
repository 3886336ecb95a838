.section .text.vecadd, "ax"
.globl vecadd
.type vecadd, @function
.align 8
.worker
vecadd:
  ld32 $m0, $mvertex_base, $mzero, 0
  ld32 $m1, $mvertex_base, $mzero, 1
  ld32 $m2, $mvertex_base, $mzero, 2
  ld32 $m3, $mvertex_base, $mzero, 3
  {
    rpt  $m3, (2f - 1f)/8 - 1
    fnop                                // keeps the body 8-aligned
  }
1:
  { ld64step $a0:1, $mzero, $m0+=, 1
    fnop }
  { ld64step $a2:3, $mzero, $m1+=, 1
    fnop }
  { nop
    f32v2add $a0:1, $a0:1, $a2:3 }
  { st64step $a0:1, $mzero, $m2+=, 1
    fnop }
2:
  exitz $mzero
.size vecadd, . - vecadd
