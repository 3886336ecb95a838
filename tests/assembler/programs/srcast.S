.align 4
srcast:
  ld32 $m0, $mvertex_base, $mzero, 0
  ld32 $a4, $mvertex_base, $mzero, 2
  {
    ld32 $m1, $mvertex_base, $mzero, 1
    uput $PRNG_SEED, $a4
  }
  setzi $a5, 0x80000                    // FP_CTL.ESR, traps off, NANOO off
  uput $FP_CTL, $a5
  ld128 $a0:3, $m0, $mzero, 0
  f32v4tof16 $a0:1, $a0:3
  {
    st64 $a0:1, $m1, $mzero, 0
    uget $a2, $PRNG_0_0
  }
  {
    st32 $a2, $m1, $mzero, 2
    uget $a2, $PRNG_0_1
  }
  {
    st32 $a2, $m1, $mzero, 3
    uget $a2, $PRNG_1_0
  }
  {
    st32 $a2, $m1, $mzero, 4
    uget $a2, $PRNG_1_1
  }
  {
    st32 $a2, $m1, $mzero, 5
    uget $a2, $FP_STS
  }
  st32 $a2, $m1, $mzero, 6
  exitz $mzero
