#pragma once

#include "processor/core.hpp"
#include "processor/f16.hpp"

namespace copse::ipud::operation {

inline std::uint16_t half(std::uint64_t bits, unsigned i) {
  return static_cast<std::uint16_t>(bits >> (16 * i));
}
inline std::uint64_t placed(std::uint16_t h, unsigned i) { return std::uint64_t{h} << (16 * i); }

inline constexpr std::uint32_t kStochastic = 1U << 19, kNanOnOverflow = 1U << 20; ///< in $FP_CTL
inline bool roundsStochastically(const Core &c) { return (c.fpControl & kStochastic) != 0; }

/// The rounding of an instruction with half results. Draws its noise if stochastic rounding is on.
struct Rounding {
  explicit Rounding(Core &c, bool canBeStochastic = true) {
    mode.nanOnOverflow = (c.fpControl & kNanOnOverflow) != 0;
    if (canBeStochastic && roundsStochastically(c)) {
      bits = c.prng.advance();
      mode.noise = &bits;
    }
  }
  Rounding(const Rounding &) = delete;
  Rounding &operator=(const Rounding &) = delete;
  fp::RandomBits bits;
  fp::HalfMode mode;
};

} // namespace copse::ipud::operation
