#pragma once

#include "processor/f32.hpp"
#include "processor/float_bits.hpp"
#include "processor/random.hpp"

/// Halves as the tile computes them: denormals are values, every NaN result is the fixed NaN,
/// arithmetic never gives an infinity and takes one for a signalling NaN. Values are patterns; each
/// function adds to \p flags what the instruction reports.
namespace copse::ipud::fp {

/// How results become halves.
struct HalfMode {
  bool nanOnOverflow = false;        ///< $FP_CTL.NANOO
  const RandomBits *noise = nullptr; ///< stochastic rounding with these bits; null: nearest even
};

/// The half of f32 pattern \p x, element \p element of its instruction (0..3), which picks the
/// noise. NaN gives the fixed NaN; an infinity is invalid.
std::uint16_t round16(std::uint32_t x, unsigned element, const HalfMode &mode,
                      std::uint32_t &flags);
/// The nearest half of \p exact, which is finite.
std::uint16_t round16(double exact, const HalfMode &mode, std::uint32_t &flags);
/// f16tof32: an infinity stays.
std::uint32_t widen16(std::uint16_t x, std::uint32_t &flags);
/// The value as arithmetic takes it: infinities and signalling NaN report kInvalid and give the
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

/// f32 sum of two halves.
std::uint32_t sum16(std::uint16_t a, std::uint16_t b, std::uint32_t &flags);

std::uint16_t exp16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags);
std::uint16_t exp2of16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags);
std::uint16_t ln16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags);
std::uint16_t log2of16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags);
std::uint16_t tanh16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags);
std::uint16_t sigmoid16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags);
/// A number in (-0.5, 0.5) from 16 random bits.
std::uint16_t centred16(std::uint16_t bits);
Class class16(std::uint16_t x);

} // namespace copse::ipud::fp
