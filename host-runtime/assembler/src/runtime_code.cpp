#include "runtime_code.hpp"

#include "assembler/assembler.hpp"

namespace copse::assembler {

namespace {

constexpr const char *kSource = R"(
.section .text._stackoverflow, "ax"
.globl _stackoverflow
.type _stackoverflow, @function
_stackoverflow:
  trap 0
.size _stackoverflow, . - _stackoverflow

DEF_STACK_USAGE 0 _Longmemcpy_entry
.section .text._Longmemcpy_entry, "ax"
.globl _Longmemcpy_entry
.type _Longmemcpy_entry, @function
_Longmemcpy_entry:
  or $m2, $m0, $m1
  or $m2, $m2, $m8
  and $m2, $m2, 3
  brnz $m2, 4f
  shr $m2, $m8, 2
  bri 2f
1:                                   // word by word
  ld32step $m3, $mzero, $m0+=, 1
  st32step $m3, $mzero, $m1+=, 1
2:
  brnzdec $m2, 1b
  br $lr
3:                                   // byte by byte, as a tile stores whole words only
  ldz8step $m2, $mzero, $m0+=, 1
  and $m3, $m1, 3
  shl $m3, $m3, 3
  setzi $m4, 255
  shl $m4, $m4, $m3
  shl $m2, $m2, $m3
  andc $m5, $m1, 3
  ld32 $m6, $m5, $mzero, 0
  andc $m6, $m6, $m4
  or $m6, $m6, $m2
  st32 $m6, $m5, $mzero, 0
  add $m1, $m1, 1
4:
  brnzdec $m8, 3b
  br $lr
.size _Longmemcpy_entry, . - _Longmemcpy_entry
)";

} // namespace

const Object &runtimeCode() {
  // The words are equal on every architecture.
  static const Object code = assemble(kSource, "Poplar's runtime", isa::Architecture::Ipu1).object;
  return code;
}

} // namespace copse::assembler
