#include "poplar/IeeeHalf.hpp"
#include "poplar/TypeConversion.hpp"
#include "poplar/exceptions.hpp"
#include "types/element_type.hpp"
#include "types/half_conversion.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace copse::types {
namespace {

[[noreturn]] void throwOverflow(const std::string &value, poplar::StringRef type) {
  throw poplar::overflow_error("value " + value + " does not fit " + type);
}

/// Converts \p value to \p To. Drops the fraction, like a cast; throws if the result does not fit.
template <class To, class From> To checked(From value, poplar::StringRef type) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (std::is_floating_point_v<To> || std::is_same_v<From, bool>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_floating_point_v<From>) {
    const From limit =
        std::ldexp(From{1}, std::numeric_limits<To>::digits); // exact; the first that is too large
    const From cut = std::trunc(value);
    if (!(cut < limit && cut >= (std::is_signed_v<To> ? -limit : From{0})))
      throwOverflow(std::to_string(value), type);
    return static_cast<To>(cut);
  } else {
    const long long least =
        std::is_signed_v<To> ? static_cast<long long>(std::numeric_limits<To>::min()) : 0;
    const unsigned long long largest =
        static_cast<unsigned long long>(std::numeric_limits<To>::max());
    const bool below = std::is_signed_v<From> && static_cast<long long>(value) < least;
    const bool above = (!std::is_signed_v<From> || value > From{0}) &&
                       static_cast<unsigned long long>(value) > largest;
    if (below || above)
      throwOverflow(std::to_string(value), type);
    return static_cast<To>(value);
  }
}

/// A half that arithmetic types convert to and from.
struct Half {
  std::uint16_t bits;
};

template <class Element, class T> Element encode(T value, poplar::StringRef type) {
  if constexpr (std::is_same_v<T, poplar::IeeeHalf>)
    return encode<Element>(static_cast<float>(value), type);
  else if constexpr (std::is_same_v<Element, Half>)
    return Half{doubleToHalf(static_cast<double>(value))};
  else
    return checked<Element>(value, type);
}

template <class T, class Element> T decode(Element element, poplar::StringRef type) {
  if constexpr (std::is_same_v<T, poplar::IeeeHalf>)
    return poplar::IeeeHalf(decode<float>(element, type));
  else if constexpr (std::is_same_v<Element, Half>)
    return checked<T>(static_cast<float>(poplar::IeeeHalf::fromBits(element.bits)), type);
  else
    return checked<T>(element, type);
}

/// Calls \p f with a value of the C++ type in which an IPU's tile stores \p type.
template <class F> void withStorage(poplar::Type type, F f) {
  switch (elementType(type)) {
  case ElementType::Bool:
    return f(bool{});
  case ElementType::Char:
    return f(char{});
  case ElementType::SignedChar:
    return f(std::int8_t{});
  case ElementType::UnsignedChar:
    return f(std::uint8_t{});
  case ElementType::Short:
    return f(std::int16_t{});
  case ElementType::UnsignedShort:
    return f(std::uint16_t{});
  case ElementType::Int:
  case ElementType::Long:
    return f(std::int32_t{});
  case ElementType::UnsignedInt:
  case ElementType::UnsignedLong:
    return f(std::uint32_t{});
  case ElementType::LongLong:
    return f(std::int64_t{});
  case ElementType::UnsignedLongLong:
    return f(std::uint64_t{});
  case ElementType::Half:
    return f(Half{});
  case ElementType::Float:
    return f(float{});
  case ElementType::QuarterMetadata:
    return f(std::uint8_t{});
  case ElementType::Quarter:
    throw poplar::type_error("elements of type quarter mean nothing without their metadata; give "
                             "a QuarterMetadata, too");
  case ElementType::Other:
    break;
  }
}

/// Returns the mean of the squared errors of the finite numbers; 0 if there are none.
template <class T>
double meanSquareError(poplar::ArrayRef<T> src, poplar::QuarterMetadata metadata) {
  double sum = 0;
  std::size_t finite = 0;
  for (const T number : src) {
    const auto value = static_cast<float>(number);
    if (!std::isfinite(value))
      continue;
    const std::uint8_t quarter = poplar::encoding::toQuarter(value, metadata);
    const double error = double(value) - double(poplar::encoding::fromQuarter(quarter, metadata));
    sum += error * error;
    ++finite;
  }
  return finite == 0 ? 0 : sum / static_cast<double>(finite);
}

} // namespace
} // namespace copse::types

namespace poplar {

template <typename T> void convertToDeviceType(const Type &type, ArrayRef<T> src, void *dst) {
  copse::types::withStorage(type, [&](auto storage) {
    auto *out = static_cast<std::byte *>(dst);
    for (const T value : src) {
      storage = copse::types::encode<decltype(storage)>(value, type.toString());
      std::memcpy(out, &storage, sizeof storage);
      out += sizeof storage;
    }
  });
}

template <typename T>
void convertFromDeviceType(const Type &type, const void *src, ArrayRef<T> dst) {
  copse::types::withStorage(type, [&](auto storage) {
    const auto *in = static_cast<const std::byte *>(src);
    T *out = const_cast<T *>(
        dst.data()); // an ArrayRef is read-only by type; this one names what to fill
    for (std::size_t i = 0; i != dst.size(); ++i, in += sizeof storage) {
      std::memcpy(&storage, in, sizeof storage);
      out[i] = copse::types::decode<T>(storage, type.toString());
    }
  });
}

template <typename T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, ArrayRef<T> src,
                         void *dst) {
  convertToDeviceType(type, metadata, src, dst, false);
}

template <typename T>
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata, const void *src,
                           ArrayRef<T> dst) {
  if (type != QUARTER)
    return convertFromDeviceType(type, src, dst);
  const auto *in = static_cast<const std::uint8_t *>(src);
  T *out = const_cast<T *>(dst.data());
  for (std::size_t i = 0; i != dst.size(); ++i)
    out[i] = copse::types::decode<T>(encoding::fromQuarter(in[i], metadata), type.toString());
}

template <typename T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, ArrayRef<T> src,
                         void *dst, bool notANumberOnOverflow) {
  if (type != QUARTER)
    return convertToDeviceType(type, src, dst);
  auto *out = static_cast<std::uint8_t *>(dst);
  for (const T value : src)
    *out++ = encoding::toQuarter(static_cast<float>(value), metadata, notANumberOnOverflow);
}

template <typename T>
QuarterMetadata calculateMetadataForConversion(const Type &type, ArrayRef<T> src,
                                               QuarterMetadata::Format format, CostMetric metric) {
  if (type != QUARTER)
    throw type_error(std::string("calculateMetadataForConversion: elements of type ") +
                     type.toString() + " have no metadata; give QUARTER");
  switch (metric) {
  case CostMetric::MEAN_SQUARE_ERROR:
    break;
  }
  QuarterMetadata best(format, 0);
  double least = copse::types::meanSquareError(src, best);
  for (int distance = 1; distance <= 32; ++distance)
    for (const int scale : {-distance, distance}) {
      if (scale > 31)
        continue;
      const QuarterMetadata metadata(format, scale);
      const double error = copse::types::meanSquareError(src, metadata);
      if (error < least) {
        least = error;
        best = metadata;
      }
    }
  return best;
}

#define POPLAR_CONVERSIONS_OF(T)                                                                   \
  template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<T>, void *,    \
                                    bool);                                                         \
  template QuarterMetadata calculateMetadataForConversion(const Type &, ArrayRef<T>,               \
                                                          QuarterMetadata::Format, CostMetric);
POPLAR_CONVERSIONS_OF(float)
POPLAR_CONVERSIONS_OF(double)
POPLAR_CONVERSIONS_OF(Half)
#undef POPLAR_CONVERSIONS_OF

template void convertToDeviceType(const Type &, ArrayRef<Half>, void *);
template void convertFromDeviceType(const Type &, const void *, ArrayRef<Half>);
template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<Half>, void *);
template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<Half>);

template void convertToDeviceType(const Type &, ArrayRef<bool>, void *);
template void convertToDeviceType(const Type &, ArrayRef<char>, void *);
template void convertToDeviceType(const Type &, ArrayRef<signed char>, void *);
template void convertToDeviceType(const Type &, ArrayRef<unsigned char>, void *);
template void convertToDeviceType(const Type &, ArrayRef<short>, void *);
template void convertToDeviceType(const Type &, ArrayRef<unsigned short>, void *);
template void convertToDeviceType(const Type &, ArrayRef<int>, void *);
template void convertToDeviceType(const Type &, ArrayRef<unsigned>, void *);
template void convertToDeviceType(const Type &, ArrayRef<long>, void *);
template void convertToDeviceType(const Type &, ArrayRef<unsigned long>, void *);
template void convertToDeviceType(const Type &, ArrayRef<long long>, void *);
template void convertToDeviceType(const Type &, ArrayRef<unsigned long long>, void *);
template void convertToDeviceType(const Type &, ArrayRef<float>, void *);
template void convertToDeviceType(const Type &, ArrayRef<double>, void *);

template void convertFromDeviceType(const Type &, const void *, ArrayRef<bool>);
template void convertFromDeviceType(const Type &, const void *, ArrayRef<char>);
template void convertFromDeviceType(const Type &, const void *, ArrayRef<signed char>);
template void convertFromDeviceType(const Type &, const void *, ArrayRef<unsigned char>);
template void convertFromDeviceType(const Type &, const void *, ArrayRef<short>);
template void convertFromDeviceType(const Type &, const void *, ArrayRef<unsigned short>);
template void convertFromDeviceType(const Type &, const void *, ArrayRef<int>);
template void convertFromDeviceType(const Type &, const void *, ArrayRef<unsigned>);
template void convertFromDeviceType(const Type &, const void *, ArrayRef<long>);
template void convertFromDeviceType(const Type &, const void *, ArrayRef<unsigned long>);
template void convertFromDeviceType(const Type &, const void *, ArrayRef<long long>);
template void convertFromDeviceType(const Type &, const void *, ArrayRef<unsigned long long>);
template void convertFromDeviceType(const Type &, const void *, ArrayRef<float>);
template void convertFromDeviceType(const Type &, const void *, ArrayRef<double>);

template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<bool>, void *);
template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<char>, void *);
template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<signed char>,
                                  void *);
template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<unsigned char>,
                                  void *);
template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<short>, void *);
template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<unsigned short>,
                                  void *);
template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<int>, void *);
template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<unsigned>,
                                  void *);
template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<long>, void *);
template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<unsigned long>,
                                  void *);
template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<long long>,
                                  void *);
template void convertToDeviceType(const Type &, const QuarterMetadata &,
                                  ArrayRef<unsigned long long>, void *);
template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<float>, void *);
template void convertToDeviceType(const Type &, const QuarterMetadata &, ArrayRef<double>, void *);

template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<bool>);
template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<char>);
template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<signed char>);
template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<unsigned char>);
template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<short>);
template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<unsigned short>);
template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<int>);
template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<unsigned>);
template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<long>);
template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<unsigned long>);
template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<long long>);
template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<unsigned long long>);
template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<float>);
template void convertFromDeviceType(const Type &, const QuarterMetadata &, const void *,
                                    ArrayRef<double>);

} // namespace poplar
