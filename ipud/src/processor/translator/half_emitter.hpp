#pragma once

#include "processor/translator/constants.hpp"
#include "processor/translator/emitter.hpp"

#include <optional>

namespace copse::ipud {

/// An instruction whose operands or results are two or four halves.
struct HalfForm {
  enum class Kind : std::uint8_t { Add, Sub, Mul, ToSingles, ToHalves };
  Kind kind = Kind::Add;
  bool isPair = false; ///< four halves
  /// Of the first operand: one half for all elements, this one; -1: each its own.
  int broadcast = -1;
};

/// \returns nothing for other instructions
std::optional<HalfForm> halfFormOf(const isa::Instruction &instruction);

/// Makes host code of arithmetic with halves: in f32, which has more than twice their digits, so
/// that rounding twice is rounding once.
class HalfEmitter : private Emitter {
public:
  /// Keeps references to all.
  HalfEmitter(Xbyak::CodeGenerator &code, const HostRegisters &registers,
              const Constants &constants)
      : Emitter(code, registers), constants_(constants) {}

  /// Leaves the results in xmm4, with zeros above them.
  /// \param unusual  where to go if a result is not ordinary, or rounding is stochastic: nothing has
  ///                 been written
  void emit(const Instruction &i, const HalfForm &form, const Xbyak::Label &unusual);

private:
  Xmm wordIn(unsigned r, const Xmm &scratch);
  Xmm halvesIn(unsigned r, bool isPair, const Xmm &scratch);
  void emitSingles(const Xmm &to, unsigned r, bool isPair, int broadcast);
  void emitHalves(const Xmm &singles, const Xbyak::Label &unusual);

  const Constants &constants_;
};

} // namespace copse::ipud
