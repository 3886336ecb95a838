.align 8
dot16:
  {
    ld32 $m2, $mvertex_base, $mzero, 0
    setzi $a0, 8                        // FP_CLR.ZAACC
  }
  {
    ld32 $m3, $mvertex_base, $mzero, 1
    uput $FP_CLR, $a0
  }
  ld32 $m1, $mvertex_base, $mzero, 3
  add  $m1, $m1, -1
  ld2x64pace $a0:1, $a2:3, $m2:3+=, $mzero, 0
  rpt  $m1, (2f - 1f)/8 - 1
1:
  {
    ld2x64pace $a0:1, $a2:3, $m2:3+=, $mzero, 0
    f16v4cmac $a0:1, $a2:3              // uses the values loaded before
  }
2:
  {
    ld32 $m0, $mvertex_base, $mzero, 2
    f16v4cmac $a0:1, $a2:3
  }
  f32v2gina $a4:5, $azeros, 0
  f32add $a4, $a4, $a5
  st32 $a4, $m0, $mzero, 0
  exitz $mzero
