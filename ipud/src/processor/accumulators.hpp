#pragma once

#include "processor/f16.hpp"
#include "processor/f8.hpp"
#include "processor/worker_state.hpp"

#include <span>

/// The accumulators of a worker and what is summed in them. Sums are f32 and never report overflow;
/// reading them out does.
namespace copse::ipud::fp {

/// a + b, a NaN as the fixed NaN, what would be denormal as zero. Reports nothing.
float accumulated(float a, float b);

/// The f32 product of two patterns; reports signalling NaN and infinity times zero.
float product(std::uint32_t a, std::uint32_t b, std::uint32_t &flags);

/// The sum of x[i] * y[i], exact and rounded to f32 once. Signalling NaN and infinities report
/// kInvalid; they and quiet NaN give the fixed NaN. Shape: as many halves in \p y as in \p x
float dot16(std::span<const std::uint16_t> x, std::span<const std::uint16_t> y,
            std::uint32_t &flags);
/// Likewise of codes, each product times 2^scale.
float dot8(std::span<const std::uint8_t> x, QuarterFormat formatX, std::span<const std::uint8_t> y,
           QuarterFormat formatY, int scale, std::uint32_t &flags);

/// An accumulator as an f32 result: infinity reports kOverflow, NaN is the fixed NaN.
std::uint32_t read32(float accumulator, std::uint32_t &flags);
/// An accumulator as half \p element of a result.
std::uint16_t read16(float accumulator, unsigned element, const HalfMode &mode,
                     std::uint32_t &flags);

/// What an operand of a sum is as f32: NaN as the fixed NaN; reports the signalling ones.
float partial32(std::uint32_t x, std::uint32_t &flags);
float partial16(std::uint16_t x, std::uint32_t &flags);

} // namespace copse::ipud::fp
