/** \file
    Constants of the tile, for C++ and for assembly. Memory: User guide, 7.2; contexts: User
    guide, 7.1.

    Numbers of control and status registers are a copy of ipud's isa/csrs.def: codelets are compiled
    with these headers alone. A test compares them. */
#ifndef POPLAR_TILE_CONSTANTS_HPP
#define POPLAR_TILE_CONSTANTS_HPP

/**@{*/

/** The number of workers of a tile, and fields of their control registers. Names are those of the
    Tile Vertex ISA: INDEX is the number of a register for get and put, SHIFT and MASK are a
    field. */
#define CTXT_WORKERS 6
#define CSR_UPPER_MASK 0xFF /* of the numbers that get and put have for the upper half */
#define CSR_W_WSR__CTXTID_M1__MASK 0x7
#define CSR_W_WSR__CTXTID_M1__SHIFT 0
#define CSR_W_WSR__INDEX 0x01

/**@}*/

/**@{*/

/** The memory of a tile: first addresses, sizes [bytes], bits of addresses and strides, and the
    largest count of a hardware loop. See User guide, 7.2. */
#if defined(__IPU_ARCH_VERSION__) && __IPU_ARCH_VERSION__ == 1
#define TMEM_REGION0_BASE_ADDR 0x40000
#define TMEM_REGION1_BASE_ADDR 0x60000
#define CSR_W_REPEAT_COUNT__VALUE__MASK 0x0FFF
#else
#define TMEM_REGION0_BASE_ADDR 0x4C000
#define TMEM_REGION1_BASE_ADDR 0x80000
#define CSR_W_REPEAT_COUNT__VALUE__MASK 0xFFFF
#endif
#define TMEM_BASE_ADDR TMEM_REGION0_BASE_ADDR
#define TMEM_BYTE_MAX_ADDRESS_WIDTH 21
#define TMEM_FULL_ADDRESS_MASK 0x1FFFFF
#define TMEM_ELEMSIZE 0x4000
#define NUM_STRIDE_BITS 10 /* of each stride of a load or store that paces */
#define NUM_STRIDE_BITS_MASK 0x3FF

/**@}*/

/**@{*/

/** The zone of a sync within an IPU, and control registers of workers and supervisors: numbers and
    fields. */
#define TEXCH_SYNCZONE_LOCAL 2
#define CSR_W_FP_CLR__INDEX 0x101
#define CSR_W_FP_CLR__ZAACC__SHIFT 3
#define CSR_W_FP_CLR__ZAACC__MASK 1
#define CSR_W_FP_CTL__INDEX 0x102
#define CSR_W_FP_CTL__INV__SHIFT 0
#define CSR_W_FP_CTL__INV__MASK 1
#define CSR_W_FP_CTL__DIV0__SHIFT 1
#define CSR_W_FP_CTL__DIV0__MASK 1
#define CSR_W_FP_CTL__OFLO__SHIFT 2
#define CSR_W_FP_CTL__OFLO__MASK 1
#define CSR_W_FP_CTL__ESR__SHIFT 19
#define CSR_W_FP_CTL__ESR__MASK 1
#define CSR_W_FP_CTL__NANOO__SHIFT 20
#define CSR_W_FP_CTL__NANOO__MASK 1
#define CSR_W_FP_STS__INDEX 0x100
#define CSR_W_PRNG_0_0__INDEX 0x103
#define CSR_W_PRNG_0_1__INDEX 0x104
#define CSR_W_PRNG_1_0__INDEX 0x105
#define CSR_W_PRNG_1_1__INDEX 0x106
#define CSR_W_PRNG_SEED__INDEX 0x107
#define CSR_W_TAS__INDEX 0x108
#define CSR_W_FP_NFMT__INDEX 0x109
#define CSR_W_FP_SCL__INDEX 0x10A
#define CSR_W_REPEAT_COUNT__INDEX 0x04
#define CSR_W_COUNT_L__INDEX 0x60
#define CSR_W_COUNT_U__INDEX 0x61
#define CSR_S_SCOUNT_L__INDEX 0x60
#define CSR_S_SCOUNT_U__INDEX 0x61
#define CSR_S_CCCSLOAD__INDEX 0x50
#define CSR_S_FP_INFMT__INDEX 0x31
#define CSR_S_FP_ISCL__INDEX 0x33

#define CSR_S_FP_ICTL__INDEX 0x20
#define CSR_S_FP_ICTL__INV__SHIFT 0
#define CSR_S_FP_ICTL__INV__MASK 1
#define CSR_S_FP_ICTL__DIV0__SHIFT 1
#define CSR_S_FP_ICTL__DIV0__MASK 1
#define CSR_S_FP_ICTL__OFLO__SHIFT 2
#define CSR_S_FP_ICTL__OFLO__MASK 1
#define CSR_S_FP_ICTL__ESR__SHIFT 19
#define CSR_S_FP_ICTL__ESR__MASK 1
#define CSR_S_FP_ICTL__NANOO__SHIFT 20
#define CSR_S_FP_ICTL__NANOO__MASK 1
#define CSR_S_DBG_DATA__INDEX 0x70
/**@}*/

/* Immediates of the AMP and SLIC instructions: the number of working engines less one in bits 5:4;
   AMP: the phase in bits 2:0; SLIC: the weight group in bits 3:2, the phase of f32 in bit 0.
   Constants in C and C++, where inline assembly gives operands their names; macros in assembly. */
#ifdef __ASSEMBLER__
#define TAMP_F16V4_E4_P0 0x30
#define TAMP_F16V4_E4_P1 0x31
#define TAMP_F16V4_E4_P2 0x32
#define TAMP_F16V4_E4_P3 0x33
#define TAMP_F16V4_E3_P0 0x20
#define TAMP_F16V4_E3_P1 0x21
#define TAMP_F16V4_E3_P2 0x22
#define TAMP_F16V4_E3_P3 0x23
#define TAMP_F16V4_E2_P0 0x10
#define TAMP_F16V4_E2_P1 0x11
#define TAMP_F16V4_E2_P2 0x12
#define TAMP_F16V4_E2_P3 0x13
#define TAMP_F16V4_E1_P0 0x0
#define TAMP_F16V4_E1_P1 0x1
#define TAMP_F16V4_E1_P2 0x2
#define TAMP_F16V4_E1_P3 0x3
#define TAMP_F8V8_E4_P0 0x30
#define TAMP_F8V8_E4_P1 0x31
#define TAMP_F8V8_E4_P2 0x32
#define TAMP_F8V8_E4_P3 0x33
#define TAMP_F8V8_E3_P0 0x20
#define TAMP_F8V8_E3_P1 0x21
#define TAMP_F8V8_E3_P2 0x22
#define TAMP_F8V8_E3_P3 0x23
#define TAMP_F8V8_E2_P0 0x10
#define TAMP_F8V8_E2_P1 0x11
#define TAMP_F8V8_E2_P2 0x12
#define TAMP_F8V8_E2_P3 0x13
#define TAMP_F8V8_E1_P0 0x0
#define TAMP_F8V8_E1_P1 0x1
#define TAMP_F8V8_E1_P2 0x2
#define TAMP_F8V8_E1_P3 0x3
#define TAMP_F32_E4_P0 0x30
#define TAMP_F32_E4_P1 0x31
#define TAMP_F32_E4_P2 0x32
#define TAMP_F32_E4_P3 0x33
#define TAMP_F32_E4_P4 0x34
#define TAMP_F32_E4_P5 0x35
#define TAMP_F32_E4_P6 0x36
#define TAMP_F32_E4_P7 0x37
#define TAMP_F32_E3_P0 0x20
#define TAMP_F32_E3_P1 0x21
#define TAMP_F32_E3_P2 0x22
#define TAMP_F32_E3_P3 0x23
#define TAMP_F32_E3_P4 0x24
#define TAMP_F32_E3_P5 0x25
#define TAMP_F32_E3_P6 0x26
#define TAMP_F32_E3_P7 0x27
#define TAMP_F32_E2_P0 0x10
#define TAMP_F32_E2_P1 0x11
#define TAMP_F32_E2_P2 0x12
#define TAMP_F32_E2_P3 0x13
#define TAMP_F32_E2_P4 0x14
#define TAMP_F32_E2_P5 0x15
#define TAMP_F32_E2_P6 0x16
#define TAMP_F32_E2_P7 0x17
#define TAMP_F32_E1_P0 0x0
#define TAMP_F32_E1_P1 0x1
#define TAMP_F32_E1_P2 0x2
#define TAMP_F32_E1_P3 0x3
#define TAMP_F32_E1_P4 0x4
#define TAMP_F32_E1_P5 0x5
#define TAMP_F32_E1_P6 0x6
#define TAMP_F32_E1_P7 0x7
#define TSLIC_F16V4_1x4_W0 0x30
#define TSLIC_F16V4_1x4_W1 0x34
#define TSLIC_F16V4_1x4_W2 0x38
#define TSLIC_F16V4_1x4_W3 0x3c
#define TSLIC_F16V4_1x3_W0 0x20
#define TSLIC_F16V4_1x3_W1 0x24
#define TSLIC_F16V4_1x3_W2 0x28
#define TSLIC_F16V4_1x3_W3 0x2c
#define TSLIC_F8V8_1x4_W0 0x30
#define TSLIC_F8V8_1x4_W1 0x34
#define TSLIC_F8V8_1x4_W2 0x38
#define TSLIC_F8V8_1x4_W3 0x3c
#define TSLIC_F8V8_1x3_W0 0x20
#define TSLIC_F8V8_1x3_W1 0x24
#define TSLIC_F8V8_1x3_W2 0x28
#define TSLIC_F8V8_1x3_W3 0x2c
#define TSLIC_F32_1x4_W0_P0 0x30
#define TSLIC_F32_1x4_W0_P1 0x31
#define TSLIC_F32_1x4_W1_P0 0x34
#define TSLIC_F32_1x4_W1_P1 0x35
#define TSLIC_F32_1x4_W2_P0 0x38
#define TSLIC_F32_1x4_W2_P1 0x39
#define TSLIC_F32_1x4_W3_P0 0x3c
#define TSLIC_F32_1x4_W3_P1 0x3d
#define TSLIC_F32_1x3_W0_P0 0x20
#define TSLIC_F32_1x3_W0_P1 0x21
#define TSLIC_F32_1x3_W1_P0 0x24
#define TSLIC_F32_1x3_W1_P1 0x25
#define TSLIC_F32_1x3_W2_P0 0x28
#define TSLIC_F32_1x3_W2_P1 0x29
#define TSLIC_F32_1x3_W3_P0 0x2c
#define TSLIC_F32_1x3_W3_P1 0x2d
#define TISTACC_P0 0
#define TISTACC_P1 1
#define TSTACC_P0 0
#define TSTACC_P1 1
#else
/**@{*/

/** Defines names and values of the enumeration below; for this file only. */
#define COPSE_PHASES_0_TO_3(name, value)                                                           \
  name##_P0 = (value), name##_P1 = (value) + 1, name##_P2 = (value) + 2, name##_P3 = (value) + 3
#define COPSE_PHASES_4_TO_7(name, value)                                                           \
  name##_P4 = (value) + 4, name##_P5 = (value) + 5, name##_P6 = (value) + 6, name##_P7 = (value) + 7
#define COPSE_ENGINES(phases, name)                                                                \
  phases(name##_E4, 0x30), phases(name##_E3, 0x20), phases(name##_E2, 0x10), phases(name##_E1, 0)
#define COPSE_WEIGHT_GROUPS(name, value)                                                           \
  name##_W0 = (value), name##_W1 = (value) + 4, name##_W2 = (value) + 8, name##_W3 = (value) + 12
#define COPSE_TWO_PHASES(name, value) name##_P0 = (value), name##_P1 = (value) + 1
#define COPSE_WEIGHT_GROUPS_OF_F32(name, value)                                                    \
  COPSE_TWO_PHASES(name##_W0, value), COPSE_TWO_PHASES(name##_W1, (value) + 4),                    \
      COPSE_TWO_PHASES(name##_W2, (value) + 8), COPSE_TWO_PHASES(name##_W3, (value) + 12)
/**@}*/
/** Immediates of the AMP and SLIC instructions, and phases of accumulator stores. */
enum {
  COPSE_ENGINES(COPSE_PHASES_0_TO_3, TAMP_F16V4),
  COPSE_ENGINES(COPSE_PHASES_0_TO_3, TAMP_F8V8),
  COPSE_ENGINES(COPSE_PHASES_0_TO_3, TAMP_F32),
  COPSE_ENGINES(COPSE_PHASES_4_TO_7, TAMP_F32),
  COPSE_WEIGHT_GROUPS(TSLIC_F16V4_1x4, 0x30),
  COPSE_WEIGHT_GROUPS(TSLIC_F16V4_1x3, 0x20),
  COPSE_WEIGHT_GROUPS(TSLIC_F8V8_1x4, 0x30),
  COPSE_WEIGHT_GROUPS(TSLIC_F8V8_1x3, 0x20),
  COPSE_WEIGHT_GROUPS_OF_F32(TSLIC_F32_1x4, 0x30),
  COPSE_WEIGHT_GROUPS_OF_F32(TSLIC_F32_1x3, 0x20),
  TISTACC_P0 = 0,
  TISTACC_P1 = 1,
  TSTACC_P0 = 0,
  TSTACC_P1 = 1
};
#undef COPSE_PHASES_0_TO_3
#undef COPSE_PHASES_4_TO_7
#undef COPSE_ENGINES
#undef COPSE_WEIGHT_GROUPS
#undef COPSE_TWO_PHASES
#undef COPSE_WEIGHT_GROUPS_OF_F32
#endif

/**@{*/

/** Results of comparisons, the number of the rounding towards zero, and the elements that the
    convolution units load in one cycle. */
#define TFPU_FP32_TRUE 0xFFFFFFFF
#define TFPU_FP32_FALSE 0
#define TFPU_FP16_TRUE 0xFFFF
#define TFPU_FP16_FALSE 0
#define TFPU_ROUND_ZERO 3
#define CONV_UNIT_INPUT_LOAD_ELEMS_HALF 4
#define CONV_UNIT_INPUT_LOAD_ELEMS_FLOAT 2
/**@}*/

#if defined(__ASSEMBLER__) && !defined(FUNCTION_IS_WORKER)
#define FUNCTION_IS_WORKER "ax,worker" /* flags of a section with code of workers */
#endif

#endif
