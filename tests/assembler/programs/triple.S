.align 4
triple:
  get  $m0, $WSR
  and  $m0, $m0, 7
  ld32 $m1, $mvertex_base, $mzero, 0
  ld32 $m2, $mvertex_base, $mzero, 1
  ld32 $m3, $mvertex_base, $mzero, 2
  add  $m4, $m3, 5
  sub  $m4, $m4, $m0
  setzi $m5, 0xAAAB
  mul  $m4, $m4, $m5
  shr  $m4, $m4, 18
  ld32step $mzero, $mzero, $m1+=, $m0
  ld32step $mzero, $mzero, $m2+=, $m0
  brz  $m4, 2f
  add  $m4, $m4, -1
1:
  ld32step $m6, $mzero, $m1+=, 6
  mul  $m6, $m6, 3
  st32step $m6, $mzero, $m2+=, 6
  brnzdec $m4, 1b
2:
  exitz $mzero
