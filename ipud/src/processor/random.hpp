#pragma once

#include <bit>
#include <cstdint>

namespace copse::ipud::fp {

/// The result of one advance of a worker's generator: two steps of xoroshiro128aox.
struct RandomBits {
  std::uint64_t r0 = 0, r1 = 0;
};

/// The generator of one worker. An all-zero state returns only zeros.
struct Prng {
  std::uint64_t s0 = 0, s1 = 0; ///< $PRNG_0_1:$PRNG_0_0 and $PRNG_1_1:$PRNG_1_0

  /// Returns the state after writing \p seed to $PRNG_SEED.
  static Prng seeded(std::uint32_t seed) {
    const std::uint32_t inverse = ~seed;
    const std::uint32_t low = seed << 13 | inverse >> 19, high = inverse << 13 | seed >> 19;
    return {std::uint64_t{inverse} << 32 | seed, std::uint64_t{high} << 32 | low};
  }

  RandomBits advance() {
    RandomBits bits;
    bits.r0 = step();
    bits.r1 = step();
    return bits;
  }

private:
  std::uint64_t step() {
    const std::uint64_t sum = s0 ^ s1, both = s0 & s1;
    const std::uint64_t out = sum ^ (std::rotl(both, 1) | std::rotl(both, 2));
    s0 = std::rotl(s0, 55) ^ sum ^ sum << 14;
    s1 = std::rotl(sum, 36);
    return out;
  }
};

} // namespace copse::ipud::fp
