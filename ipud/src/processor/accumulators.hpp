#pragma once

#include "processor/f16.hpp"
#include "processor/f8.hpp"
#include "processor/worker_state.hpp"

#include <span>

/// Arithmetic of a worker's accumulators. Sums are f32 and never report overflow; reading an
/// accumulator does.
namespace copse::ipud::fp {

/// Returns a + b; a NaN becomes the fixed NaN, a denormal zero. Reports nothing.
float accumulated(float a, float b);

/// Returns the f32 product of two patterns; reports signalling NaN and infinity times zero.
float product(std::uint32_t a, std::uint32_t b, std::uint32_t &flags);

/// Returns the sum of x[i] * y[i], computed exactly and rounded to f32 once. Signalling NaN and
/// infinities report kInvalid; these and quiet NaN give the fixed NaN.
/// \param y  has the length of \p x
float dot16(std::span<const std::uint16_t> x, std::span<const std::uint16_t> y,
            std::uint32_t &flags);
/// Returns the sum of x[i] * y[i] * 2^scale for FP8 codes, computed and reported like dot16().
float dot8(std::span<const std::uint8_t> x, QuarterFormat formatX, std::span<const std::uint8_t> y,
           QuarterFormat formatY, int scale, std::uint32_t &flags);

/// Returns an accumulator as f32: infinity reports kOverflow, NaN becomes the fixed NaN.
std::uint32_t read32(float accumulator, std::uint32_t &flags);
/// Returns an accumulator as half \p element of a result.
std::uint16_t read16(float accumulator, unsigned element, const HalfMode &mode,
                     std::uint32_t &flags);

/// Returns an operand of a sum as f32; NaN becomes the fixed NaN, signalling NaN is reported.
float partial32(std::uint32_t x, std::uint32_t &flags);
float partial16(std::uint16_t x, std::uint32_t &flags);

} // namespace copse::ipud::fp
