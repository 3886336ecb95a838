# The counterpart of the loop tile_integers (tile_instructions_bench.cpp) for libriscv: addition, exclusive or, shift, load,
# addition, store, count and branch. libriscv's sources are no package, so no claim runs this. By hand, with binutils for
# riscv64 and rvlinux of github.com/libriscv/libriscv (emulator/, RISCV_BINARY_TRANSLATION=ON, RISCV_LIBTCC=OFF):
#
#   riscv64-linux-gnu-as -march=rv64gc --defsym COUNT=1000000 -o loop.o riscv_loop.S
#   riscv64-linux-gnu-ld -o loop loop.o
#   valgrind --tool=callgrind rvlinux -n loop       # interpreted; without -n translated
#
# The difference to a COUNT twice as large, divided by eight times COUNT, is the cost of an instruction.
.globl _start
.option norelax
.option norvc
.text
_start:
  li s0, COUNT
  la s2, data
  la s3, out
  li t0, 0
  li t1, 0
  .balign 16
1:
  addw t0, t0, 3
  xor t1, t1, t0
  slliw t2, t1, 2
  lw t3, 0(s2)
  addw t4, t2, t3
  sw t4, 0(s3)
  addi s0, s0, -1
  bnez s0, 1b
  li a7, 93
  li a0, 0
  ecall
.data
.balign 16
data: .word 5
out: .word 0
