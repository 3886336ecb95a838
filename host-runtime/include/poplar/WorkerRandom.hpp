#pragma once

#include "poplar/VectorTypes.hpp"

#pragma GCC system_header

// Returns the address of the two words of the worker's generator; the emulator sets this pointer.
extern "C" __attribute__((visibility("default"))) unsigned long long *(*__copseGenerator)();

namespace poplar {
namespace encoding {

/// Returns the worker's generator. The generator stays the same while the worker runs a vertex, so
/// one call is enough.
__attribute__((noinline, const)) inline unsigned long long *generatorOfWorker() {
  return __copseGenerator();
}

/// Holds the next bits of the worker's generator, xoroshiro128aox (poplar/RandomSeed.hpp): each
/// instruction that draws advances it by two steps.
struct RandomBits {
  unsigned long long words[2];

  RandomBits() {
    unsigned long long *const state = generatorOfWorker();
    unsigned long long s0, s1; // at addresses of any alignment
    __builtin_memcpy(&s0, state, sizeof s0);
    __builtin_memcpy(&s1, state + 1, sizeof s1);
    for (unsigned long long &word : words) {
      const unsigned long long sum = s0 ^ s1, both = s0 & s1;
      word = sum ^ (rotated(both, 1) | rotated(both, 2));
      s0 = rotated(s0, 55) ^ sum ^ sum << 14;
      s1 = rotated(sum, 36);
    }
    __builtin_memcpy(state, &s0, sizeof s0);
    __builtin_memcpy(state + 1, &s1, sizeof s1);
  }
  /// Returns a number that is near to normal: the sum of twelve numbers from 0 to 31, around 0.
  float normal(int word) const {
    int sum = -186;
    for (int k = 0; k < 12; ++k)
      sum += static_cast<int>(words[word] >> (5 * k) & 31);
    return static_cast<float>(sum) / 32.0f;
  }

private:
  static unsigned long long rotated(unsigned long long x, int by) {
    return x << by | x >> (64 - by);
  }
};

} // namespace encoding
} // namespace poplar

///@{

/// Draws uniform bits from the worker's generator.
inline unsigned __builtin_ipu_urand32() {
  return static_cast<unsigned>(poplar::encoding::RandomBits().words[0]);
}
inline unsigned long long __builtin_ipu_urand64() {
  return poplar::encoding::RandomBits().words[0];
}
///@}

/// Draws a number that is uniform in (-0.5, 0.5).
inline float __builtin_ipu_urand_f32() {
  return static_cast<float>((2.0 * __builtin_ipu_urand32() - 4294967295.0) / 8589934592.0);
}
/// Draws two numbers of the standard normal distribution.
inline float2 __builtin_ipu_f32v2grand() {
  const poplar::encoding::RandomBits bits;
  return float2{bits.normal(0), bits.normal(1)};
}
