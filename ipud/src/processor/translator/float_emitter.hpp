#pragma once

#include "processor/translator/constants.hpp"
#include "processor/translator/emitter.hpp"

#include <deque>

namespace copse::ipud {

/// Generates host code for aux instructions on bits and f32. An instruction is computed first, into
/// xmm4 or the other place of its pair, and written later.
class FloatEmitter : private Emitter {
public:
  /// The destination of the results of an aux half.
  enum class Result : std::uint8_t { None, Single, Pair, MovedPair, Accumulator, Accumulators };

  /// Keeps references to its arguments.
  FloatEmitter(Xbyak::CodeGenerator &code, HostRegisters &registers, const Constants &constants)
      : Emitter(code, registers), constants_(constants), places_(registers) {}

  /// \param i        isAuxKnown() must be true
  /// \param unusual  jump target if the result is not ordinary; nothing has been written then
  Result emit(const Instruction &i, const Xbyak::Label &unusual);
  /// \param d  aux register (pair) of the result
  void emitWrite(Result result, unsigned d);
  /// Emits the out-of-line code that emit() refers to.
  void emitRest();

private:
  struct Factors {
    Xmm a, b;
  };
  /// Out-of-line code that checks whether a zero product is correct.
  struct ZeroCheck {
    Factors factors;
    Xmm product;
    bool isSingle;
    const Xbyak::Label *unusual;
    Xbyak::Label unsure, right;
  };

  /// Returns the register in which the result for the pair at \p d is computed.
  Xmm targetOf(unsigned d) const;
  Result pairResult(unsigned d) const;
  Result emitBits(const Instruction &i);
  Result emitSingle(const Instruction &i, const Xbyak::Label &unusual);
  Result emitCouple(const Instruction &i, const Xbyak::Label &unusual);
  Result emitMac(const Instruction &i, const Xbyak::Label &unusual);
  Result emitMacs(const Instruction &i, const Xbyak::Label &unusual);
  /// Checks operation::isRight() for lane 0 of xmm4, a sum.
  void checkSum(const Xbyak::Label &unusual);
  void checkProduct(const Factors &factors, const Xbyak::Label &unusual);
  /// Checks operation::areRight() for \p sums.
  void checkSums(const Xmm &sums, const Xbyak::Label &unusual);
  void checkProducts(const Factors &factors, const Xmm &products, const Xbyak::Label &unusual);
  void emitZeros(ZeroCheck &check);
  static Xbyak::Address accumulators() { return at(offsetOf<Accumulators>(&Core::accumulators)); }

  const Constants &constants_;
  HostRegisters &places_;
  std::deque<ZeroCheck> zeros_; ///< a deque, because labels must not move
};

} // namespace copse::ipud
