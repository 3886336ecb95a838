#pragma once

#include "processor/f32.hpp"
#include "processor/float_bits.hpp"
#include "processor/random.hpp"

/// Halves as the tile computes them: denormals are supported, every NaN result is the fixed NaN,
/// and arithmetic never returns an infinity and treats one as a signalling NaN. Values are bit
/// patterns; each function adds to \p flags what the instruction reports.
namespace copse::ipud::fp {

/// How results are rounded to halves.
struct HalfMode {
  bool nanOnOverflow = false;        ///< $FP_CTL.NANOO
  const RandomBits *noise = nullptr; ///< stochastic rounding with these bits; null: nearest even
};

/// Rounds f32 pattern \p x to a half. \p element (0..3) is its index in the instruction, which
/// selects the noise. NaN gives the fixed NaN; an infinity is invalid.
std::uint16_t round16(std::uint32_t x, unsigned element, const HalfMode &mode,
                      std::uint32_t &flags);
/// Rounds \p exact, which must be finite, to the nearest half.
std::uint16_t round16(double exact, const HalfMode &mode, std::uint32_t &flags);
/// Widens a half; an infinity is kept (f16tof32).
std::uint32_t widen16(std::uint16_t x, std::uint32_t &flags);
/// Widens an operand of arithmetic: infinities and signalling NaN report kInvalid and give the
/// fixed NaN.
std::uint32_t operand16(std::uint16_t x, std::uint32_t &flags);

std::uint16_t add16(std::uint16_t a, std::uint16_t b, unsigned element, const HalfMode &mode,
                    std::uint32_t &flags);
std::uint16_t sub16(std::uint16_t a, std::uint16_t b, unsigned element, const HalfMode &mode,
                    std::uint32_t &flags);
std::uint16_t mul16(std::uint16_t a, std::uint16_t b, unsigned element, const HalfMode &mode,
                    std::uint32_t &flags);
std::uint16_t absadd16(std::uint16_t a, std::uint16_t b, unsigned element, const HalfMode &mode,
                       std::uint32_t &flags);

std::uint16_t max16(std::uint16_t a, std::uint16_t b, std::uint32_t &flags);
std::uint16_t min16(std::uint16_t a, std::uint16_t b, std::uint32_t &flags);
std::uint16_t absmax16(std::uint16_t a, std::uint16_t b, std::uint32_t &flags);
std::uint16_t clamp16(std::uint16_t x, std::uint16_t low, std::uint16_t high, std::uint32_t &flags);
/// \returns all ones or zero
std::uint16_t compare16(Comparison what, std::uint16_t a, std::uint16_t b, std::uint32_t &flags);

/// Returns the f32 sum of two halves.
std::uint32_t sum16(std::uint16_t a, std::uint16_t b, std::uint32_t &flags);

std::uint16_t exp16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags);
std::uint16_t exp2of16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags);
std::uint16_t ln16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags);
std::uint16_t log2of16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags);
std::uint16_t tanh16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags);
std::uint16_t sigmoid16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags);
/// Returns a number in (-0.5, 0.5) from 16 random bits.
std::uint16_t centred16(std::uint16_t bits);
Class class16(std::uint16_t x);

} // namespace copse::ipud::fp
