#pragma once

#include <xbyak/xbyak.h>

namespace copse::ipud {

/// Constant vectors for the host code of a page. Shape [4]
struct Constants {
  Xbyak::Label leastExponents;         ///< 1 in the exponents of f32
  Xbyak::Label upperExponent;          ///< the upper seven exponent bits of the lowest lane
  Xbyak::Label lowerPair;              ///< all bits of the lower two lanes
  Xbyak::Label minusZeros, magnitudes; ///< patterns of f32: -0; everything but the sign
  /// The largest f32 pattern that does not round to more than 65504.
  Xbyak::Label largestForHalves;

  /// Emits the constants into \p code, before the code that reads them.
  void emit(Xbyak::CodeGenerator &code);
};

} // namespace copse::ipud
