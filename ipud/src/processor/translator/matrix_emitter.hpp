#pragma once

#include "processor/translator/constants.hpp"
#include "processor/translator/emitter.hpp"
#include "processor/translator/matrix_call.hpp"

#include <deque>

namespace copse::ipud {

/// Generates host code for AMP and SLIC. While it runs, ymm11 to ymm14 contain the working and
/// delayed accumulators of each set, ymm15 zeros, and r11 the address of the tile's weights, which
/// are prepared before the loop: see NativeLoop. In loops that call functions, this holds only
/// within each instruction.
class MatrixEmitter : private Emitter {
public:
  /// Keeps references to its arguments.
  MatrixEmitter(Xbyak::CodeGenerator &code, const HostRegisters &registers,
                const Constants &constants)
      : Emitter(code, registers), constants_(constants) {}

  /// The form of the results in xmm4.
  enum class Result : std::uint8_t { Single, Pair };

  /// Emit the code before and after a loop.
  void emitPrologue();
  void emitEpilogue();
  /// Leaves the results in xmm4.
  /// \param unusual  jump target if numbers are not ordinary; nothing has been written then
  Result emit(const Instruction &i, const MatrixCall &call, const Xbyak::Label &unusual);
  /// Emits the out-of-line code that emit() refers to.
  void emitRest();

private:
  using Ymm = Xbyak::Ymm;
  /// Out-of-line code that checks inputs a second time.
  struct Doubt {
    MatrixCall call;
    Xmm halves;
    const Xbyak::Label *unusual;
    Xbyak::Label doubtful, fine;
  };
  struct Partials {
    bool areZero;
    Ymm ofSet[2]; ///< two partial sums, repeated
  };

  static Ymm working(unsigned set) { return Ymm(static_cast<int>(11 + 2 * set)); }
  static Ymm delayed(unsigned set) { return Ymm(static_cast<int>(12 + 2 * set)); }
  static Ymm terms(unsigned set) { return Ymm(set == 0 ? 10 : 9); }
  /// Returns the partials that move up and leave at the front.
  static Ymm chainOf(const MatrixCall &call, unsigned set) {
    return call.isSlic || call.ofSet(set).startsSums ? working(set) : delayed(set);
  }

  bool keepsAccumulators() const { return registers_.hasAccumulators(); }
  void emitConstants();
  void emitAccumulators(unsigned sets, void (MatrixEmitter::*move)(const Ymm &, int));
  void loadEight(const Ymm &to, int offset) { x_.vmovups(to, at(offset)); }
  void storeEight(const Ymm &from, int offset) { x_.vmovups(at(offset), from); }

  /// Compute the terms of all units in terms().
  void emitTermsOfHalves(unsigned input, const MatrixCall &call, const Xbyak::Label &unusual);
  void emitTermsOfSingle(unsigned input, const MatrixCall &call, const Xbyak::Label &unusual);
  void emitTermsOfLast(const MatrixCall &call, const Xbyak::Label &unusual);
  void emitSingleCheck(const MatrixCall &call, const Xbyak::Label &unusual);
  void emitHalfFactors(const Xmm &halves);
  void emitDots(const Xmm &to, const Ymm &sum, unsigned group, unsigned firstUnit);

  Partials emitPartials(unsigned first, const MatrixCall &call);
  void emitMoved(const Ymm &to, const MatrixCall &call, unsigned set, const Partials &partials);
  void emitSums(const MatrixCall &call, unsigned set, const Partials &partials);
  void emitChecks(const MatrixCall &call, const Partials &partials, const Xbyak::Label &unusual);
  void emitHalfResults(const MatrixCall &call);
  void emitCommit(const MatrixCall &call, unsigned set, const Partials &partials);

  void emitSecondLook(Doubt &doubt);
  void emitSpreadTest(Doubt &doubt);

  const Constants &constants_;
  std::deque<Doubt> doubts_; ///< a deque, because labels must not move
};

} // namespace copse::ipud
