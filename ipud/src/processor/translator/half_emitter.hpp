#pragma once

#include "processor/translator/constants.hpp"
#include "processor/translator/emitter.hpp"

#include <optional>

namespace copse::ipud {

/// An instruction with operands or results of two or four halves.
struct HalfForm {
  enum class Kind : std::uint8_t { Add, Sub, Mul, ToSingles, ToHalves };
  Kind kind = Kind::Add;
  bool isPair = false; ///< four halves
  /// The element of the first operand that is used for all elements; -1: each has its own.
  int broadcast = -1;
};

/// \returns nothing for other instructions
std::optional<HalfForm> halfFormOf(const isa::Instruction &instruction);

/// Generates host code for arithmetic with halves. The code computes in f32, which has more than
/// twice the digits of a half, so that double rounding is harmless.
class HalfEmitter : private Emitter {
public:
  /// Keeps references to its arguments.
  HalfEmitter(Xbyak::CodeGenerator &code, const HostRegisters &registers,
              const Constants &constants)
      : Emitter(code, registers), constants_(constants) {}

  /// Leaves the results in xmm4, with zeros above them.
  /// \param unusual  jump target if a result is not ordinary, or if rounding is stochastic; nothing
  ///   has been written then
  void emit(const Instruction &i, const HalfForm &form, const Xbyak::Label &unusual);

private:
  Xmm wordIn(unsigned r, const Xmm &scratch);
  Xmm halvesIn(unsigned r, bool isPair, const Xmm &scratch);
  void emitSingles(const Xmm &to, unsigned r, bool isPair, int broadcast);
  void emitHalves(const Xmm &singles, const Xbyak::Label &unusual);

  const Constants &constants_;
};

} // namespace copse::ipud
