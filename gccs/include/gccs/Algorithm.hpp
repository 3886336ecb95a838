#pragma once

#include <type_traits>
#include <utility>

/// Helpers that libraries of later releases take from the package GCCS. The helpers need C++17, as
/// those libraries do. Arguments are counts of any unsigned types, which may be mixed.
namespace gccs {

/// Is true if all types are unsigned.
template <typename... T> inline constexpr bool areCounts = (std::is_unsigned<T>::value && ...);

/// Returns the quotient, rounded up. \p divisor must not be 0.
template <typename T, typename U> constexpr auto ceildiv(T dividend, U divisor) {
  static_assert(areCounts<T, U>, "counts are unsigned");
  return dividend / divisor + (dividend % divisor != 0 ? 1u : 0u);
}

/// Returns the quotient, rounded down. \p divisor must not be 0.
template <typename T, typename U> constexpr auto floordiv(T dividend, U divisor) {
  static_assert(areCounts<T, U>, "counts are unsigned");
  return dividend / divisor;
}

/// Returns the quotient, rounded up, with 0 for 0 / 0.
template <typename T> constexpr T ceildiv0(T dividend, T divisor) {
  return dividend == 0 ? T(0) : static_cast<T>(ceildiv(dividend, divisor));
}

/// Returns the smallest multiple of \p grain that is at least \p n.
template <typename T, typename U> constexpr auto alignNext(T n, U grain) {
  return ceildiv(n, grain) * grain;
}

/// Returns the largest multiple of \p grain that is at most \p n.
template <typename T, typename U> constexpr auto alignPrev(T n, U grain) {
  return floordiv(n, grain) * grain;
}

/// Returns true for a power of 2, and for 0.
template <typename T> constexpr bool isPowerOf2(T n) {
  static_assert(areCounts<T>, "counts are unsigned");
  return (n & (n - 1)) == 0;
}

/// Returns the number of bits that distinguish \p n values: the smallest k for which 2^k >= n.
template <typename T> constexpr unsigned ceilLog2(T n) {
  static_assert(std::is_integral<T>::value, "counts are integers");
  using Count = typename std::make_unsigned<T>::type;
  unsigned digits = 0;
  for (Count last = n > 1 ? static_cast<Count>(n - 1) : 0; last != 0; last = last / 2)
    ++digits;
  return digits;
}

/// Returns 1 + 2 + ... + n.
template <typename T> constexpr T nthTriangular(T n) {
  static_assert(areCounts<T>, "counts are unsigned");
  return n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n;
}

/// Returns how to spread \p n things evenly over \p parts parts: the number of parts that get
/// ceildiv(n, parts) things, and the number of parts that get floordiv(n, parts). If all parts are
/// equal, the first number counts all of them.
template <typename T> constexpr std::pair<T, T> balancedPartition(T n, T parts) {
  static_assert(areCounts<T>, "counts are unsigned");
  if (parts == 0)
    return {0, 0};
  const T larger = n % parts;
  return larger == 0 ? std::pair<T, T>(parts, 0) : std::pair<T, T>(larger, parts - larger);
}

} // namespace gccs
