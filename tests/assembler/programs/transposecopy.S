.align 8
transposecopy:
  ld32 $m0, $mvertex_base, $mzero, 0
  ld32 $m1, $mvertex_base, $mzero, 1
  setzi $m6, 4 + (((-7) & 0x3FF) << 10)
  ld64step $a0:1, $mzero, $m0+=, 4
  tapack $m2:3, $m0, $mzero, $m1
  rpt 3, (2f - 1f)/8 - 1
1:
  { ldst64pace $a0:1, $a0:1, $m2:3+=, $m6, 0b0001
    fnop }
  { ldst64pace $a0:1, $a0:1, $m2:3+=, $m6, 0b0010
    fnop }
  { ldst64pace $a0:1, $a0:1, $m2:3+=, $m6, 0b0001
    fnop }
2:
  ldst64pace $a0:1, $a0:1, $m2:3+=, $m6, 0b0001
  ldst64pace $a0:1, $a0:1, $m2:3+=, $m6, 0b0001
  st64pace $a0:1, $m2:3+=, $mzero, 0
  exitz $mzero
