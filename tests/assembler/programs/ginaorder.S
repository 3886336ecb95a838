.align 4
ginaorder:
  {
    ld32 $m0, $mvertex_base, $mzero, 0
    setzi $a0, 8
  }
  {
    ld32 $m1, $mvertex_base, $mzero, 1
    uput $FP_CLR, $a0
  }
  ld64step $a0:1, $mzero, $m0+=, 1
  ld64step $a2:3, $mzero, $m0+=, 1
  f16v8acc $a0:3
  f16v8acc $a0:3
  f32v2gina $a4:5, $azeros, 0
  { st64step $a4:5, $mzero, $m1+=, 1
    f32v2gina $a4:5, $azeros, 0 }
  { st64step $a4:5, $mzero, $m1+=, 1
    f32v2gina $a4:5, $azeros, 0 }
  { st64step $a4:5, $mzero, $m1+=, 1
    f32v2gina $a4:5, $azeros, 0 }
  { st64step $a4:5, $mzero, $m1+=, 1
    f32v2gina $a4:5, $azeros, 0 }
  st64step $a4:5, $mzero, $m1+=, 1
  exitz $mzero
