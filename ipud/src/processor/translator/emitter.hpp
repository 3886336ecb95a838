#pragma once

#include "isa/registers.hpp"
#include "processor/core.hpp"
#include "processor/translator/host_registers.hpp"

#include <cstddef>
#include <xbyak/xbyak.h>

namespace copse::ipud {

inline constexpr unsigned kZeroMain = isa::kMainZero;

/// The base of all emitters of host code: locates the tile's registers. rbx points to the Core and
/// r12 to address 0 of the tile; eax, ecx, edx and xmm4 to xmm10 are scratch registers.
class Emitter {
public:
  /// Keeps references to its arguments.
  /// \param code  receives the generated instructions
  Emitter(Xbyak::CodeGenerator &code, const HostRegisters &registers)
      : x_(code), registers_(registers) {}

protected:
  using Instruction = isa::Instruction;
  using Opcode = isa::Opcode;
  using Reg32 = Xbyak::Reg32;
  using Xmm = Xbyak::Xmm;
  static constexpr auto kNear = Xbyak::CodeGenerator::T_NEAR;

  // Locations

  /// Returns the offset of a member of Core, measured on a specimen because Core is not a
  /// standard-layout class.
  template <class Member> static int offsetOf(Member Core::*member) {
    static const Core specimen;
    return static_cast<int>(reinterpret_cast<const std::byte *>(&(specimen.*member)) -
                            reinterpret_cast<const std::byte *>(&specimen));
  }
  static Xbyak::Address at(int offset) { return Xbyak::util::ptr[Xbyak::util::rbx + offset]; }
  static int offsetOfRegister(unsigned number) {
    return offsetOf<RegisterFiles>(&Core::registers) + 4 * static_cast<int>(number);
  }
  static Xbyak::Address place(unsigned number) { return at(offsetOfRegister(number)); }
  static int offsetOfMain(unsigned r) { return offsetOfRegister(RegisterFiles::kMain + r); }
  static Xbyak::Address mainPlace(unsigned r) { return place(RegisterFiles::kMain + r); }
  bool isHosted(unsigned r) const { return registers_.main[r] != 0; }
  Reg32 host(unsigned r) const { return Reg32(registers_.main[r]); }

  // Main registers

  void load(const Reg32 &to, unsigned r) {
    if (r == kZeroMain)
      x_.xor_(to, to);
    else if (isHosted(r))
      x_.mov(to, host(r));
    else
      x_.mov(to, mainPlace(r));
  }
  void write(unsigned r, const Reg32 &from) {
    if (!isHosted(r))
      x_.mov(mainPlace(r), from);
    else if (host(r) != from)
      x_.mov(host(r), from);
  }
  /// Calls \p f with main register \p r as a readable operand.
  template <class F> void withOperand(unsigned r, F f) {
    if (r == kZeroMain) {
      x_.xor_(Xbyak::util::ecx, Xbyak::util::ecx);
      f(Xbyak::util::ecx);
    } else if (isHosted(r)) {
      f(host(r));
    } else {
      f(mainPlace(r));
    }
  }

  /// Jumps to \p target if the branch \p condition on main register \p tested is taken.
  void emitBranchIf(Opcode condition, unsigned tested, const Xbyak::Label &target) {
    if (isHosted(tested))
      x_.test(host(tested), host(tested));
    else
      x_.cmp(Xbyak::util::dword[Xbyak::util::rbx + offsetOfMain(tested)], 0);
    switch (condition) {
    case Opcode::Brnz:
      x_.jnz(target, kNear);
      break;
    case Opcode::Brz:
      x_.jz(target, kNear);
      break;
    case Opcode::Brpos:
      x_.jns(target, kNear);
      break;
    default:
      x_.js(target, kNear);
      break;
    }
  }

  // Aux registers

  bool hasPairs() const { return registers_.hasPairs; }
  static Xmm lowerPlace(unsigned r) { return Xmm(static_cast<int>(r / 2)); }
  static Xmm upperPlace(unsigned r) { return Xmm(static_cast<int>(11 + r / 2)); }
  bool isInUpper(unsigned r) const { return (registers_.inUpper >> r / 2 & 1) != 0; }
  Xmm pair(unsigned r) const { return isInUpper(r) ? upperPlace(r) : lowerPlace(r); }
  Xmm otherPlace(unsigned r) const { return isInUpper(r) ? lowerPlace(r) : upperPlace(r); }
  /// Returns the pair that starts at \p r; the upper half is zero.
  Xmm pairIn(unsigned r, const Xmm &scratch) {
    if (r >= 8)
      x_.vpxor(scratch, scratch, scratch);
    else if (hasPairs())
      return pair(r);
    else
      x_.vmovq(scratch, place(r));
    return scratch;
  }
  /// Returns one register in lane 0.
  Xmm singleIn(unsigned r, const Xmm &scratch) {
    if (r >= 8)
      x_.vpxor(scratch, scratch, scratch);
    else if (!hasPairs())
      x_.vmovd(scratch, place(r));
    else if (r % 2 == 0)
      return pair(r);
    else
      x_.vmovshdup(scratch, pair(r));
    return scratch;
  }

  Xbyak::CodeGenerator &x_;
  const HostRegisters &registers_;
};

} // namespace copse::ipud
