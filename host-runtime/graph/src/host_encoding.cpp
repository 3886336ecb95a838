#include "host_encoding.hpp"

#include "poplar/exceptions.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

namespace copse::graph {
namespace {

using poplar::TypeTraits;

template <typename T> T load(const void *data, std::size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + i * sizeof(T), sizeof(T));
  return value;
}

std::uint64_t loadInteger(const poplar::HostValues &values, std::size_t i, bool isSigned) {
  switch (values.traits.size) {
  case 1:
    return isSigned ? static_cast<std::uint64_t>(load<std::int8_t>(values.data, i))
                    : load<std::uint8_t>(values.data, i);
  case 2:
    return isSigned ? static_cast<std::uint64_t>(load<std::int16_t>(values.data, i))
                    : load<std::uint16_t>(values.data, i);
  case 4:
    return isSigned ? static_cast<std::uint64_t>(load<std::int32_t>(values.data, i))
                    : load<std::uint32_t>(values.data, i);
  default:
    return load<std::uint64_t>(values.data, i);
  }
}

float halfToFloat(std::uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }

Number ofFloating(double value) {
  Number n;
  n.kind = Number::Kind::Floating;
  n.asFloating = value;
  return n;
}

/// Converts like a cast, but with a defined result for every value.
std::uint64_t toInteger(double value) {
  if (std::isnan(value)) {
    return 0;
  }
  if (value < 0) {
    const bool tooSmall = value <= static_cast<double>(std::numeric_limits<std::int64_t>::min());
    return tooSmall ? static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::min())
                    : static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
  const bool tooLarge = value >= static_cast<double>(std::numeric_limits<std::uint64_t>::max());
  return tooLarge ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(value);
}

bool isZero(const Number &n) {
  return n.kind == Number::Kind::Floating ? n.asFloating == 0 : n.asUnsigned == 0;
}

template <typename T> void append(T value, std::vector<std::byte> &out) {
  const auto *bytes = reinterpret_cast<const std::byte *>(&value);
  out.insert(out.end(), bytes, bytes + sizeof(T));
}

template <typename T> T floatingAs(const Number &n) {
  switch (n.kind) {
  case Number::Kind::Signed:
    return static_cast<T>(n.asSigned);
  case Number::Kind::Unsigned:
    return static_cast<T>(n.asUnsigned);
  default:
    return static_cast<T>(n.asFloating);
  }
}

bool isUnsigned(ElementType type) {
  switch (type) {
  case ElementType::Bool:
  case ElementType::UnsignedChar:
  case ElementType::UnsignedShort:
  case ElementType::UnsignedInt:
  case ElementType::UnsignedLong:
  case ElementType::UnsignedLongLong:
  case ElementType::QuarterMetadata: // its bits
    return true;
  default:
    return false;
  }
}

/// Returns true if the type accepts signed and unsigned numbers: the sign of a plain char is
/// unspecified, and the underlying type of an enum is unknown here.
bool takesEitherSign(ElementType type) {
  return type == ElementType::Char || type == ElementType::Other;
}

} // namespace

Number numberAt(const poplar::HostValues &values, std::size_t i) {
  switch (values.traits.kind) {
  case TypeTraits::Kind::Half:
    return ofFloating(halfToFloat(load<std::uint16_t>(values.data, i)));
  case TypeTraits::Kind::Floating:
    return ofFloating(values.traits.size == sizeof(float) ? load<float>(values.data, i)
                      : values.traits.size == sizeof(double)
                          ? load<double>(values.data, i)
                          : static_cast<double>(load<long double>(values.data, i)));
  case TypeTraits::Kind::Boolean:
  case TypeTraits::Kind::Signed:
  case TypeTraits::Kind::Unsigned: {
    const bool isSigned = values.traits.kind == TypeTraits::Kind::Signed;
    Number n;
    n.kind = isSigned ? Number::Kind::Signed : Number::Kind::Unsigned;
    n.asUnsigned = loadInteger(values, i, isSigned);
    n.asSigned = static_cast<std::int64_t>(n.asUnsigned);
    n.isByte = values.traits.size == 1;
    return n;
  }
  case TypeTraits::Kind::Other:
    break;
  }
  throw poplar::type_error("values of a host type that is no number cannot be converted");
}

double asDouble(const Number &number) { return floatingAs<double>(number); }

std::string textOf(const Number &number) {
  switch (number.kind) {
  case Number::Kind::Signed:
    return std::to_string(number.asSigned);
  case Number::Kind::Unsigned:
    return std::to_string(number.asUnsigned);
  default:
    return std::to_string(number.asFloating);
  }
}

bool fits(const Number &number, ElementType type, std::uint32_t bytes) {
  const bool floating = type == ElementType::Float || type == ElementType::Half;
  if (floating || type == ElementType::Bool) {
    return true;
  }
  if (number.kind == Number::Kind::Floating &&
      (std::isnan(number.asFloating) || std::abs(number.asFloating) >= 0x1p64)) {
    return false;
  }
  const bool negative = number.kind == Number::Kind::Floating
                            ? number.asFloating <= -1
                            : number.kind == Number::Kind::Signed && number.asSigned < 0;
  if (negative && isUnsigned(type)) {
    return false;
  }
  const unsigned bits = std::min(bytes, 8u) * 8;
  const std::uint64_t largestUnsigned = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t largestSigned = largestUnsigned >> 1;
  const std::uint64_t value =
      number.kind == Number::Kind::Floating ? toInteger(number.asFloating) : number.asUnsigned;
  if (negative) {
    return ~value <= largestSigned;
  }
  return value <= (isUnsigned(type) || takesEitherSign(type) ? largestUnsigned : largestSigned);
}

void encode(const Number &number, ElementType type, std::uint32_t bytes,
            std::vector<std::byte> &out) {
  if (type == ElementType::Quarter) {
    throw poplar::tensor_metadata_error("a number alone is no quarter: give metadata, too");
  }
  if (type == ElementType::Float || (type == ElementType::Half && bytes == 4)) {
    append(floatingAs<float>(number), out);
  } else if (type == ElementType::Half) {
    append(floatingAs<_Float16>(number), out);
  } else {
    const std::uint64_t value = type == ElementType::Bool && !number.isByte ? !isZero(number)
                                : number.kind == Number::Kind::Floating
                                    ? toInteger(number.asFloating)
                                    : number.asUnsigned;
    for (std::uint32_t i = 0; i < bytes; ++i) {
      out.push_back(static_cast<std::byte>(i < 8 ? value >> (8 * i) : 0));
    }
  }
}

std::vector<std::byte> encodeAll(const poplar::HostValues &values, ElementType type,
                                 std::uint32_t bytes) {
  std::vector<std::byte> out;
  out.reserve(values.count * bytes);
  for (std::size_t i = 0; i < values.count; ++i) {
    encode(numberAt(values, i), type, bytes, out);
  }
  return out;
}

} // namespace copse::graph
