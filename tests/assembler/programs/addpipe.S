.align 8
addpipe:
  {
    ld32 $m0, $mvertex_base, $mzero, 0
    or   $a6, $azero, 0x3F800000        // 1.0f: immediate with zero low 20 bits
  }
  {
    ld32 $m1, $mvertex_base, $mzero, 1
    uput $TAS, $a6
  }
  ld32 $a4, $mvertex_base, $mzero, 2
  ld32 $a5, $mvertex_base, $mzero, 2
  mov  $m2, $m0                         // store pointer
  ld64step $a0:1, $mzero, $m0+=, 1      // x0
  {
    ld64step $a2:3, $mzero, $m0+=, 1    // x1
    f32v2axpy $azeros, $a4:5, $a0:1     // acc = x0 + c
  }
  {
    ld64step $a0:1, $mzero, $m0+=, 1    // x2
    f32v2axpy $a2:3, $a4:5, $a2:3       // r0 out, acc = x1 + c
  }
  tapack $m4:5, $m0, $mzero, $m2
  shr  $m1, $m1, 1
  add  $m1, $m1, -2
  rpt  $m1, (2f - 1f)/8 - 1
1:
  {
    ldst64pace $a2:3, $a2:3, $m4:5+=, $mzero, 0
    f32v2axpy $a0:1, $a4:5, $a0:1
  }
  {
    ldst64pace $a0:1, $a0:1, $m4:5+=, $mzero, 0
    f32v2axpy $a2:3, $a4:5, $a2:3
  }
2:
  {
    ldst64pace $a2:3, $a2:3, $m4:5+=, $mzero, 0
    f32v2axpy $a0:1, $a4:5, $a0:1
  }
  {
    st64pace $a0:1, $m4:5+=, $mzero, 0
    f32v2axpy $a2:3, $a4:5, $a2:3
  }
  {
    st64pace $a2:3, $m4:5+=, $mzero, 0
    f32v2axpy $a0:1, $azeros, $azeros
  }
  st64pace $a0:1, $m4:5+=, $mzero, 0
  exitz $mzero
