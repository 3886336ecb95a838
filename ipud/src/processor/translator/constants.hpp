#pragma once

#include <xbyak/xbyak.h>

namespace copse::ipud {

/// Vectors that the host code of a page reads. Shape [4]
struct Constants {
  Xbyak::Label leastExponents;         ///< 1 in the exponents of f32
  Xbyak::Label upperExponent;          ///< the upper seven bits of the lowest lane's
  Xbyak::Label lowerPair;              ///< all bits of the lower two lanes
  Xbyak::Label minusZeros, magnitudes; ///< patterns of f32: of -0; all but the sign
  Xbyak::Label largestForHalves;       ///< that does not round to more than 65504

  /// Puts them into \p code, in front of what reads them.
  void emit(Xbyak::CodeGenerator &code);
};

} // namespace copse::ipud
