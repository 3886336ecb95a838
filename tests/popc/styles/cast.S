// Between halves and floats; tables of data.
#ifdef __IPU__
#include "poplar/AvailableVTypes.h"
#include "poplar/StackSizeDefs.hpp"
#include "support/TileConstants.hpp"

#define SCALED_PTR64_SHL_BITS 3
#if defined(VECTOR_AVAIL_SCALED_PTR64)
#define LOAD_PTR(dst, off) ldz16 $dst, $mvertex_base, $mzero, (off)/2
#else
#define LOAD_PTR(dst, off) ld32 $dst, $mvertex_base, $mzero, (off)/4
#endif

#define src m0
#define dst m1
#define n   m2
#define tri m4:5
#define MASK_HI (0xFFFFFFFF << 16)
#define LOG2_PART (2+1)

.equ ELEMS, 4
.equ BYTES, ELEMS * 2
.equ MAX_BLOCK, (1 << 12) - 1

DEF_STACK_USAGE  0  __runCodelet_popops__Cast___half_float
.section .text.popops__Cast___half_float, "ax"
.global __runCodelet_popops__Cast___half_float
.type __runCodelet_popops__Cast___half_float, @function
.align 8
	// pad so that the loop is aligned
	nop
__runCodelet_popops__Cast___half_float:
	LOAD_PTR(src, 0)
	LOAD_PTR(dst, 4)
	ldz16	$n, $mvertex_base, $mzero, 8/2
#ifdef VECTOR_AVAIL_SCALED_PTR64
	shl $src, $src, SCALED_PTR64_SHL_BITS
	shl $dst, $dst, SCALED_PTR64_SHL_BITS
#endif
	shr	$m3, $n, LOG2_PART
	brz	$m3, .Lrem
	ldconst $m6, MASK_HI & 0xFFFFFFFF
	tapack  $tri, $src, $mzero, $dst
	ld64step $a0:1, $mzero, $src+=, 1
	{ rpt $m3, ((2f-1f) / 8) -1 ; fnop }
1:
	{
		nop
		f16v2tof32  $a2:3, $a0  // comment; with a semicolon
	}
	{
		st64step $a2:3, $mzero, $dst+=, 1
		f16v2tof32 $a4:5, $a1
	}
	{st64step $a4:5, $mzero, $dst+=, 1; fnop}
	{ld64step $a0:1, $mzero, $src+=, 1
	 fnop}
2:
.Lrem:
	and $m3, $n, 0x7
	brz $m3, 9f
	.if (. - __runCodelet_popops__Cast___half_float) & 0x7
	nop
	.endif
	add $m3, $m3, -1
3:	ldb16step $a0, $mzero, $src+=, 1
	f16tof32 $a0, $a0
	st32step $a0, $mzero, $dst+=, 1
	brnzdec $m3, 3b
9:
	exitz $mzero
.size __runCodelet_popops__Cast___half_float, .-__runCodelet_popops__Cast___half_float

// Jump table
.section .data.castTable, "a", @progbits
.align 4
castTable:
.int 1f - castTable
.word castTable + (8 * 4), 'a', 0x7fffffff, 037
1: .long 0b1010
.half 1.5h, infh
.float 1.0e-3, -2.5, 3
.section .note.unused
.byte 1
#endif
