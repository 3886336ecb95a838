#pragma once

#include <xbyak/xbyak.h>

namespace copse::ipud {

/// Vectors that the host code of a page reads. Shape [4]
struct Constants {
  // F32 products are held against these; the upper two lanes are always in order.
  Xbyak::Label productShift, productLimit;
  Xbyak::Label minusZeros, magnitudes; ///< patterns of f32: of -0; all but the sign
  Xbyak::Label largestForHalves;       ///< that does not round to more than 65504

  /// Puts them into \p code, in front of what reads them.
  void emit(Xbyak::CodeGenerator &code);
};

} // namespace copse::ipud
