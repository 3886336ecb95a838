#pragma once

#include "processor/translator/emitter.hpp"

#include <algorithm>
#include <initializer_list>

namespace copse::ipud {

/// Generates host code for integer instructions. Tile registers that have no host register are read
/// from and written to memory by the functions of Emitter.
class IntegerEmitter : private Emitter {
public:
  using Emitter::Emitter;

  /// \param i  isInteger() must be true
  void emit(const Instruction &i) {
    using namespace Xbyak::util;
    const auto &o = i.operands;
    const auto count = static_cast<int>(o[2] & 31);
    const auto constant = o[2];
    switch (i.opcode) {
    case Opcode::Add:
      binary(i, [&](const Reg32 &to, const Xbyak::Operand &y) { x_.add(to, y); });
      break;
    case Opcode::Sub:
      binary(i, [&](const Reg32 &to, const Xbyak::Operand &y) { x_.sub(to, y); });
      break;
    case Opcode::And:
      binary(i, [&](const Reg32 &to, const Xbyak::Operand &y) { x_.and_(to, y); });
      break;
    case Opcode::Or:
      binary(i, [&](const Reg32 &to, const Xbyak::Operand &y) { x_.or_(to, y); });
      break;
    case Opcode::Xor:
      binary(i, [&](const Reg32 &to, const Xbyak::Operand &y) { x_.xor_(to, y); });
      break;
    case Opcode::Mul:
      binary(i, [&](const Reg32 &to, const Xbyak::Operand &y) { x_.imul(to, y); });
      break;
    case Opcode::Andc:
      load(ecx, o[2]);
      x_.not_(ecx);
      load(eax, o[1]);
      x_.and_(eax, ecx);
      write(o[0], eax);
      break;
    case Opcode::AddZ:
    case Opcode::AddS:
      withImmediate(o[0], o[1], [&](const Reg32 &to) { x_.add(to, constant); });
      break;
    case Opcode::AndZ:
      withImmediate(o[0], o[1], [&](const Reg32 &to) { x_.and_(to, constant); });
      break;
    case Opcode::OrZ:
    case Opcode::OrH:
      withImmediate(o[0], o[1], [&](const Reg32 &to) { x_.or_(to, constant); });
      break;
    case Opcode::MulS:
      withImmediate(o[0], o[1],
                    [&](const Reg32 &to) { x_.imul(to, to, static_cast<int>(constant)); });
      break;
    case Opcode::ShlZ:
      withImmediate(o[0], o[1], [&](const Reg32 &to) { x_.shl(to, count); });
      break;
    case Opcode::ShrZ:
      withImmediate(o[0], o[1], [&](const Reg32 &to) { x_.shr(to, count); });
      break;
    case Opcode::ShrsZ:
      withImmediate(o[0], o[1], [&](const Reg32 &to) { x_.sar(to, count); });
      break;
    case Opcode::Shl:
      shifted(i, [&](const Reg32 &to) { x_.shl(to, cl); });
      break;
    case Opcode::Shr:
      shifted(i, [&](const Reg32 &to) { x_.shr(to, cl); });
      break;
    case Opcode::Shrs:
      shifted(i, [&](const Reg32 &to) { x_.sar(to, cl); });
      break;
    case Opcode::SubZ:
    case Opcode::SubS:
      load(ecx, o[2]);
      x_.mov(eax, o[1]);
      x_.sub(eax, ecx);
      write(o[0], eax);
      break;
    case Opcode::Max:
    case Opcode::MaxZ:
    case Opcode::MaxS:
      choice(i, i.opcode != Opcode::Max,
             [&](const Reg32 &to, const Xbyak::Operand &y) { x_.cmovl(to, y); });
      break;
    case Opcode::Min:
    case Opcode::MinZ:
    case Opcode::MinS:
      choice(i, i.opcode != Opcode::Min,
             [&](const Reg32 &to, const Xbyak::Operand &y) { x_.cmovg(to, y); });
      break;
    case Opcode::Cmpeq:
    case Opcode::CmpeqZ:
    case Opcode::CmpeqS:
      comparison(i, i.opcode != Opcode::Cmpeq, [&](const Xbyak::Reg8 &to) { x_.sete(to); });
      break;
    case Opcode::Cmpne:
      comparison(i, false, [&](const Xbyak::Reg8 &to) { x_.setne(to); });
      break;
    case Opcode::Cmpslt:
    case Opcode::CmpsltS:
      comparison(i, i.opcode != Opcode::Cmpslt, [&](const Xbyak::Reg8 &to) { x_.setl(to); });
      break;
    case Opcode::Cmpult:
    case Opcode::CmpultZ:
      comparison(i, i.opcode != Opcode::Cmpult, [&](const Xbyak::Reg8 &to) { x_.setb(to); });
      break;
    case Opcode::Setzi:
      if (isHosted(o[0])) {
        x_.mov(host(o[0]), o[1]);
      } else {
        x_.mov(eax, o[1]);
        write(o[0], eax);
      }
      break;
    default: // Movz
      load(eax, o[0]);
      load(ecx, o[1]);
      x_.test(ecx, ecx);
      if (o[2] == kZeroMain)
        x_.mov(ecx, 0); // keeps the flags
      else
        load(ecx, o[2]);
      x_.cmovnz(eax, ecx);
      write(o[0], eax);
      break;
    }
  }

private:
  /// Returns the register in which the new value of \p r may be computed without overwriting a
  /// register in \p read.
  Reg32 scratchFor(unsigned r, std::initializer_list<unsigned> read) const {
    const bool isFree = isHosted(r) && std::find(read.begin(), read.end(), r) == read.end();
    return isFree ? host(r) : Xbyak::util::eax;
  }

  /// d = x op y for two registers.
  template <class F> void binary(const Instruction &i, F f) {
    const unsigned d = i.operands[0], x = i.operands[1], y = i.operands[2];
    const Reg32 to = d == x && d != y && isHosted(d) ? host(d) : scratchFor(d, {y});
    if (!(isHosted(x) && to == host(x)))
      load(to, x);
    withOperand(y, [&](const Xbyak::Operand &operand) { f(to, operand); });
    write(d, to);
  }
  /// d = x op immediate.
  template <class F> void withImmediate(unsigned d, unsigned x, F f) {
    const Reg32 to = isHosted(d) ? host(d) : Xbyak::util::eax;
    if (!(isHosted(x) && to == host(x)))
      load(to, x);
    f(to);
    write(d, to);
  }

  /// Sets the flags of x - y.
  void compare(const Instruction &i, bool isImmediate) {
    load(Xbyak::util::eax, i.operands[1]);
    if (isImmediate)
      x_.cmp(Xbyak::util::eax, i.operands[2]);
    else
      withOperand(i.operands[2], [&](const Xbyak::Operand &y) { x_.cmp(Xbyak::util::eax, y); });
  }
  template <class Set> void comparison(const Instruction &i, bool isImmediate, Set set) {
    compare(i, isImmediate);
    set(Xbyak::util::al);
    const unsigned d = i.operands[0];
    const Reg32 to = isHosted(d) ? host(d) : Xbyak::util::eax;
    x_.movzx(to, Xbyak::util::al);
    write(d, to);
  }

  /// d = x or y, chosen by comparing them; \p replace overwrites x with y.
  template <class Replace> void choice(const Instruction &i, bool isImmediate, Replace replace) {
    using namespace Xbyak::util;
    const unsigned d = i.operands[0], x = i.operands[1];
    const Reg32 to = isImmediate ? eax : scratchFor(d, {i.operands[2]});
    if (!(isHosted(x) && to == host(x)))
      load(to, x);
    if (isImmediate) {
      x_.mov(ecx, i.operands[2]);
      x_.cmp(to, ecx);
      replace(to, ecx);
    } else {
      withOperand(i.operands[2], [&](const Xbyak::Operand &y) {
        x_.cmp(to, y);
        replace(to, y);
      });
    }
    write(d, to);
  }

  template <class F> void shifted(const Instruction &i, F f) {
    const unsigned d = i.operands[0], x = i.operands[1], y = i.operands[2];
    load(Xbyak::util::ecx, y);
    load(Xbyak::util::eax, x);
    f(Xbyak::util::eax);
    write(d, Xbyak::util::eax);
  }
};

} // namespace copse::ipud
