#include "types/half_conversion.hpp"

#include "poplar/IeeeHalf.hpp"
#include "poplar/Target.hpp"
#include "types/target_description.hpp"

#include <bit>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace copse::types {
namespace {

const std::byte *at(const void *base, std::size_t offset) {
  return static_cast<const std::byte *>(base) + offset;
}
std::byte *at(void *base, std::size_t offset) { return static_cast<std::byte *>(base) + offset; }

#if defined(__x86_64__)
// Converts eight numbers at a time if the CPU can. \returns how many were converted, a multiple of
// eight.
__attribute__((target("avx,f16c"))) std::size_t floatToHalfFast(const float *src, void *dst,
                                                                std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i *>(at(dst, 2 * i)), halves);
  }
  return i;
}
__attribute__((target("avx,f16c"))) std::size_t halfToFloatFast(const void *src, float *dst,
                                                                std::size_t n) {
  const __m256 sign = _mm256_castsi256_ps(_mm256_set1_epi32(std::numeric_limits<int>::min()));
  const __m256 quiet = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FC00000));
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at(src, 2 * i)));
    const __m256 floats = _mm256_cvtph_ps(halves);
    const __m256 nans = _mm256_or_ps(_mm256_and_ps(floats, sign), quiet);
    const __m256 isNan = _mm256_cmp_ps(floats, floats, _CMP_UNORD_Q);
    _mm256_storeu_ps(dst + i, _mm256_blendv_ps(floats, nans, isNan));
  }
  return i;
}
bool hasFastPath() {
  // Some versions of clang do not know F16C by name.
  static const bool has = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) != 0 &&
           (c & bit_F16C) != 0;
  }();
  return has;
}
#else
std::size_t floatToHalfFast(const float *, void *, std::size_t) { return 0; }
std::size_t halfToFloatFast(const void *, float *, std::size_t) { return 0; }
bool hasFastPath() { return false; }
#endif

} // namespace

void floatToHalf(const float *src, void *dst, std::size_t n) {
  for (std::size_t i = hasFastPath() ? floatToHalfFast(src, dst, n) : 0; i < n; ++i) {
    const std::uint16_t bits = poplar::IeeeHalf(src[i]).bit();
    std::memcpy(at(dst, 2 * i), &bits, sizeof bits);
  }
}

void halfToFloat(const void *src, float *dst, std::size_t n) {
  for (std::size_t i = hasFastPath() ? halfToFloatFast(src, dst, n) : 0; i < n; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, at(src, 2 * i), sizeof bits);
    dst[i] = poplar::IeeeHalf::fromBits(bits);
  }
}

std::uint16_t doubleToHalf(double value) {
  // Rounds to odd on the way to float: the 13 extra bits then still tell on which side of a tie the
  // double was.
  float narrow = static_cast<float>(value);
  const double back = narrow;
  auto bits = std::bit_cast<std::uint32_t>(narrow);
  if (back != value && value == value && (bits & 1) == 0) {
    const bool away = (back < value) == (value > 0); // |narrow| < |value|
    bits = away ? bits + 1 : bits - 1;
    narrow = std::bit_cast<float>(bits);
  }
  return poplar::IeeeHalf(narrow).bit();
}

} // namespace copse::types

namespace poplar {

namespace {

/// Returns the bytes of one half on \p target.
std::size_t halfBytes(const Target &target) {
  return target == Target() ? sizeof(std::uint16_t) : target.getTypeSize(HALF);
}

/// Copies floats unchanged if the target's halves are floats.
/// \returns true if they are
bool copiedAsFloats(const Target &target, const void *src, void *dst, std::size_t numElements) {
  if (halfBytes(target) != sizeof(float))
    return false;
  if (numElements != 0)
    std::memcpy(dst, src, numElements * sizeof(float));
  return true;
}

} // namespace

void copyFloatToDeviceHalf(const Target &target, const float *src, void *dst,
                           std::size_t numElements) {
  if (!copiedAsFloats(target, src, dst, numElements))
    copse::types::floatToHalf(src, dst, numElements);
}

void copyDeviceHalfToFloat(const Target &target, const void *src, float *dst,
                           std::size_t numElements) {
  if (!copiedAsFloats(target, src, dst, numElements))
    copse::types::halfToFloat(src, dst, numElements);
}

void copyDoubleToDeviceHalf(const Target &target, const double *src, void *dst,
                            std::size_t numElements) {
  const bool asFloat = halfBytes(target) == sizeof(float);
  for (std::size_t i = 0; i != numElements; ++i) {
    if (asFloat) {
      const auto value = static_cast<float>(src[i]);
      std::memcpy(copse::types::at(dst, i * sizeof value), &value, sizeof value);
    } else {
      const std::uint16_t bits = copse::types::doubleToHalf(src[i]);
      std::memcpy(copse::types::at(dst, i * sizeof bits), &bits, sizeof bits);
    }
  }
}

void copyDeviceHalfToDouble(const Target &target, const void *src, double *dst,
                            std::size_t numElements) {
  const std::size_t bytes = halfBytes(target);
  for (std::size_t i = 0; i != numElements; ++i) {
    float value = 0;
    copyDeviceHalfToFloat(target, copse::types::at(src, i * bytes), &value, 1);
    dst[i] = value;
  }
}

} // namespace poplar
