// A supervisor that loads weights and launches workers, which feed the AMP unit.
#if defined(__IPU__)
#include "poplar/TileConstants.hpp"
#include "poplar/StackSizeDefs.hpp"
#include "poplar/AvailableVTypes.h"
#if __IPU_ARCH_VERSION__ == 1
#define NUM_UNITS 8
#elif (__IPU_ARCH_VERSION__ == 2) || (__IPU_ARCH_VERSION__ == 21)
#define NUM_UNITS 16
#else
#error "unknown arch"
#endif

// registers
#define triAddr m0:1
#define strides m7
#define inVals03 a0:3
#define inVals01 a0:1
#define inVals23 a2:3
#define outVals  a6:7

#define CODELET_NAME(a,b,c) __runCodelet_poplin__ConvPartial1x1Out___##a##_##b##_##c##_16_false
#define LC_NAME .text.poplin_conv1x1

.macro LOAD_WEIGHTS FIRST LAST
  .equ idx, \FIRST
  .rept (\LAST - \FIRST) / 4 + 1
    ld64putcs idx
    ld64putcs idx + 1
    ld64putcs idx + 2
    ld64putcs idx+3
    .equ idx, idx + 4
  .endr
.endm

.macro SET_ADDR RESULT_REG NAME
  setzi \RESULT_REG,  \NAME
.endm

.macro AMP OP OUT IN PART PHASE
.ifc \OP, half
.if NUM_UNITS == 16
  f16v4hihov4amp \OUT, \IN, \PART, \PHASE
.else
  f16v4sihoamp $a4, \IN, \PART, \PHASE
.endif
.else
  f16v4sisoamp \OUT, \IN, \PART, \PHASE
.endif
.endm

DEF_STACK_USAGE (3*8 + 8) CODELET_NAME(half, half, true)
.section LC_NAME
.globl CODELET_NAME(half,half,true)
.type CODELET_NAME(half,half,true), @function
.align 4
.supervisor
CODELET_NAME(half,half,true):
  add $sp, $sp, -8
  st32 $lr, $sp, $mzero, 0
  st32 $m9, $sp, 1
  ld32 $m1, $m0, $mzero, 0
  put CSR_S_FP_ICTL__INDEX, $mzero
  put 0x50, $m1
  LOAD_WEIGHTS 0 15
#if __IPU_ARCH_VERSION__ >= 2
  ld128putcs 32
#endif
  SET_ADDR $m2, convWorker
  runall $m2, $m0, 0
  sync TEXCH_SYNCZONE_LOCAL
  setzi $m3, zeroWorker
  setzi $m5, TMEM_REGION0_BASE_ADDR
  sub $m4, $m0, $m5
  run $m3, $m4, 0
  sync   TEXCH_SYNCZONE_LOCAL
  ld32 $lr, $sp, $mzero, 0
  ld32 $m9, $sp, $mzero, 1
  add $sp, $sp, 8
  br $lr
.size CODELET_NAME(half,half,true), .-CODELET_NAME(half,half,true)

DEF_STACK_USAGE 0 LC_NAME
.align 8
.worker
convWorker:
  setzi $a0, (CSR_W_FP_CLR__ZAACC__MASK << CSR_W_FP_CLR__ZAACC__SHIFT)
  { get $m2, $WSR
    uput $FP_CLR, $a0 }
  and $m2, $m2, CSR_W_WSR__CTXTID_M1__MASK
  uget $a7, CSR_W_FP_CTL__INDEX & CSR_W_WSR__CTXTID_M1__MASK
  setzi $strides, 4 + (((-7) & 0x3FF) << 10)
  AMP half $azeros $inVals01 $azeros TAMP_F16V4_E4_P0
  { ld64step $inVals01, $mzero, $m2+=, 1
    AMP float, $azeros, $inVals01, $azeros, TAMP_F16V4_E4_P1 }
  rpt 3, (.Lb1 - .Lb0)/8-1
.align 8
.Lb0:
  {
    ld2xst64pace $inVals03, $outVals, $m4:5+=, $strides, 0b111001
    f16v4sisoamp $a4:5, $azeros, $azeros, TAMP_F16V4_E4_P3
  }
  {
    ld2x64pace $azeros, $inVals23, $triAddr+=, $mzero, 0b0000;
    f32v2gina $a4:5, $azeros, 0x0
  }
.Lb1:
  exitnz $mzero
zeroWorker:
  exitz $mworker_base
#endif
