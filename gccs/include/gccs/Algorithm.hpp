#pragma once

#include <type_traits>
#include <utility>

/// What libraries of later releases take from the package GCCS. (C++17, as those libraries are.)
///
/// Arithmetic of counts: unsigned types only, which may be mixed.
namespace gccs {

template <typename... T> inline constexpr bool areCounts = (std::is_unsigned<T>::value && ...);

/// Quotient, rounded up. \p divisor is not 0.
template <typename T, typename U> constexpr auto ceildiv(T dividend, U divisor) {
  static_assert(areCounts<T, U>, "counts are unsigned");
  return dividend / divisor + (dividend % divisor != 0 ? 1u : 0u);
}

/// Quotient, rounded down. \p divisor is not 0.
template <typename T, typename U> constexpr auto floordiv(T dividend, U divisor) {
  static_assert(areCounts<T, U>, "counts are unsigned");
  return dividend / divisor;
}

/// The same, but 0 / 0 is 0.
template <typename T> constexpr T ceildiv0(T dividend, T divisor) {
  return dividend == 0 ? T(0) : static_cast<T>(ceildiv(dividend, divisor));
}

/// The first multiple of \p grain that is not below \p n.
template <typename T, typename U> constexpr auto alignNext(T n, U grain) {
  return ceildiv(n, grain) * grain;
}

/// The last multiple of \p grain that is not above \p n.
template <typename T, typename U> constexpr auto alignPrev(T n, U grain) {
  return floordiv(n, grain) * grain;
}

/// 0 counts as one.
template <typename T> constexpr bool isPowerOf2(T n) {
  static_assert(areCounts<T>, "counts are unsigned");
  return (n & (n - 1)) == 0;
}

/// Digits that it takes to tell \p n things apart: the smallest k for which 2^k >= n.
template <typename T> constexpr unsigned ceilLog2(T n) {
  static_assert(std::is_integral<T>::value, "counts are integers");
  using Count = typename std::make_unsigned<T>::type;
  unsigned digits = 0;
  for (Count last = n > 1 ? static_cast<Count>(n - 1) : 0; last != 0; last = last / 2)
    ++digits;
  return digits;
}

/// 1 + 2 + ... + n
template <typename T> constexpr T nthTriangular(T n) {
  static_assert(areCounts<T>, "counts are unsigned");
  return n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n;
}

/// How to spread \p n things over \p parts as evenly as can be: so many parts get ceildiv(n, parts)
/// of them, and so many floordiv(n, parts). If all get the same, the first number has them all.
template <typename T> constexpr std::pair<T, T> balancedPartition(T n, T parts) {
  static_assert(areCounts<T>, "counts are unsigned");
  if (parts == 0)
    return {0, 0};
  const T larger = n % parts;
  return larger == 0 ? std::pair<T, T>(parts, 0) : std::pair<T, T>(larger, parts - larger);
}

} // namespace gccs
