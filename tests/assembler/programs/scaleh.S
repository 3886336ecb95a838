.align 8
scaleh:
  ld32 $m0, $mvertex_base, $mzero, 0
  ld32 $a6, $mvertex_base, $mzero, 3
  ld64step $a0:1, $mzero, $m0+=, 1
  {
    ld64step $a0:1, $mzero, $m0+=, 1
    f16v4mul $a2:3, $a6:BL, $a0:1
  }
  ld32 $m1, $mvertex_base, $mzero, 1
  tapack $m4:5, $m0, $mzero, $m1
  ld32 $m2, $mvertex_base, $mzero, 2
  add  $m2, $m2, -2
  rpt  $m2, (2f - 1f)/8 - 1
1:
  {
    ldst64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f16v4mul $a2:3, $a6:BL, $a0:1
  }
2:
  {
    st64pace $a2:3, $m4:5+=, $mzero, 0
    f16v4mul $a2:3, $a6:BL, $a0:1
  }
  st64pace $a2:3, $m4:5+=, $mzero, 0
  exitz $mzero
