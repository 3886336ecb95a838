.align 4
split:
  ld32 $m1, $mvertex_base, $mzero, 0
  get  $m0, $WSR
  and  $m0, $m0, 7
  shr  $m2, $m1, 3
  and  $m3, $m1, 7
  mul  $m4, $m2, $m0
  min  $m5, $m0, $m3
  add  $m4, $m4, $m5
  cmpult $m5, $m0, $m3
  add  $m2, $m2, $m5
  ld32 $m1, $mvertex_base, $mzero, 1
  st32 $m4, $m1, $mzero, 0
  st32 $m2, $m1, $mzero, 1
  exitz $mzero
