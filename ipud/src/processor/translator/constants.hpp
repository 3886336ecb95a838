#pragma once

#include <xbyak/xbyak.h>

namespace copse::ipud {

/// Vectors that the host code of a page reads. Shape [4]
struct Constants {
  // F32 products are held against these; the upper two lanes are always in order.
  Xbyak::Label productShift, productLimit;

  /// Puts them into \p code, in front of what reads them.
  void emit(Xbyak::CodeGenerator &code);
};

} // namespace copse::ipud
