#pragma once

#include <ipu_builtins.h> // also on CPU targets, whose compiler has none
#include <poplar/Vertex.hpp>

namespace poprand {

/// Mixes a word so that every bit of the result depends on every bit of \p x.
inline unsigned long long mixed(unsigned long long x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

/// Returns the key of one worker's sequence.
inline unsigned long long keyOf(unsigned low, unsigned high, unsigned modifier, unsigned stream) {
  const unsigned long long seed =
      mixed((static_cast<unsigned long long>(high) << 32 | low) + 0x9e3779b97f4a7c15ULL);
  const unsigned long long which = static_cast<unsigned long long>(modifier) << 32 | stream;
  return mixed(seed ^ mixed(which + 0x9e3779b97f4a7c15ULL));
}

/// The source of a vertex's random words: the worker's hardware generator, or, with a seed, a
/// counter-based sequence whose n-th word is a function of the key and n.
class RandomBits {
public:
  explicit RandomBits() = default;
  RandomBits(unsigned low, unsigned high, unsigned modifier, unsigned stream)
      : seeded_(true), state_(keyOf(low, high, modifier, stream)) {}

  unsigned long long next() {
    if (!seeded_)
      return __builtin_ipu_urand64();
    state_ += 0x9e3779b97f4a7c15ULL;
    return mixed(state_);
  }

private:
  bool seeded_ = false;
  unsigned long long state_ = 0;
};

/// Returns a number in [0, 1), in steps of 2^-24.
inline float unitOf(unsigned bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }
/// Returns a number in (0, 1), in steps of 2^-32; never 0 or 1.
inline double openUnitOf(unsigned bits) { return (static_cast<double>(bits) + 0.5) * 0x1p-32; }

/// Returns the argument for which the standard normal distribution function is p.  Rational
/// approximations after P. J. Acklam; relative error below 1.2e-9.
inline double normalQuantile(double p) {
  const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                      1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                      6.680131188771972e+01, -1.328068155288572e+01};
  const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                      -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                      3.754408661907416e+00};
  const double tail = 0.02425;
  if (p >= tail && p <= 1 - tail) {
    const double q = p - 0.5, r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
           (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
  }
  const double q = std::sqrt(-2 * std::log(p < tail ? p : 1 - p));
  const double x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
                   ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  return p < tail ? x : -x;
}

/// The workers of a tile share its elements in grains of this size.
constexpr unsigned kGrain = 8;

} // namespace poprand
