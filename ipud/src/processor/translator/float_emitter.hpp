#pragma once

#include "processor/translator/constants.hpp"
#include "processor/translator/emitter.hpp"

#include <deque>

namespace copse::ipud {

/// Makes host code of instructions of the aux lane: bits and f32. An instruction is computed first,
/// into xmm4 or the other place of its pair, and written later.
class FloatEmitter : private Emitter {
public:
  /// Where the results of an aux half are to be written.
  enum class Result : std::uint8_t { None, Single, Pair, MovedPair, Accumulator, Accumulators };

  /// Keeps references to all.
  FloatEmitter(Xbyak::CodeGenerator &code, HostRegisters &registers, const Constants &constants)
      : Emitter(code, registers), constants_(constants), places_(registers) {}

  /// \param i        isAuxKnown()
  /// \param unusual  where to go if the result is not ordinary: nothing has been written
  Result emit(const Instruction &i, const Xbyak::Label &unusual);
  /// \param d  the aux register (pair) of the result
  void emitWrite(Result result, unsigned d);
  /// The code away from the loop that emit() refers to.
  void emitRest();

private:
  struct Factors {
    Xmm a, b;
  };
  /// Code that looks twice at a product that may be a right zero.
  struct ZeroCheck {
    Factors factors;
    Xmm product;
    bool isSingle;
    const Xbyak::Label *unusual;
    Xbyak::Label unsure, right;
  };

  /// Where the result for the pair at \p d is computed.
  Xmm targetOf(unsigned d) const;
  Result pairResult(unsigned d) const;
  Result emitBits(const Instruction &i);
  Result emitSingle(const Instruction &i, const Xbyak::Label &unusual);
  Result emitCouple(const Instruction &i, const Xbyak::Label &unusual);
  Result emitMac(const Instruction &i, const Xbyak::Label &unusual);
  Result emitMacs(const Instruction &i, const Xbyak::Label &unusual);
  /// operation::isRight() of lane 0 of xmm4, a sum.
  void checkSum(const Xbyak::Label &unusual);
  void checkProduct(const Factors &factors, const Xbyak::Label &unusual);
  /// operation::areRight() of \p sums.
  void checkSums(const Xmm &sums, const Xbyak::Label &unusual);
  void checkProducts(const Factors &factors, const Xmm &products, const Xbyak::Label &unusual);
  void emitZeros(ZeroCheck &check);
  static Xbyak::Address accumulators() { return at(offsetOf<Accumulators>(&Core::accumulators)); }

  const Constants &constants_;
  HostRegisters &places_;
  std::deque<ZeroCheck> zeros_; ///< labels must not move
};

} // namespace copse::ipud
