#pragma once

#include "poplar/Type.hpp"
#include "types/architecture.hpp"

#include <cstdint>
#include <optional>

namespace copse::types {

/// Element type of a field, as stored in tile memory. An enumeration is its underlying integer, and
/// long, which has 8 bytes in native code, is LongLong. `Other` is a struct or vector type (size is
/// what counts).
enum class ElementType : std::uint8_t {
  Bool,
  Char,
  SignedChar,
  UnsignedChar,
  Short,
  UnsignedShort,
  Int,
  UnsignedInt,
  Long,
  UnsignedLong,
  LongLong,
  UnsignedLongLong,
  Half,
  Float,
  Quarter,
  QuarterMetadata,
  Other
};

/// A Type's code is 0 for none, else 1 + the ElementType's number.
struct TypeAccess {
  static constexpr poplar::Type make(ElementType type) {
    return poplar::Type(static_cast<std::uint8_t>(static_cast<std::uint8_t>(type) + 1));
  }
  static constexpr std::uint8_t code(poplar::Type type) { return type.code_; }
};

/// The element type that \p type names.
/// \throws poplar::type_error if it is none
ElementType elementType(poplar::Type type);

/// The other way round; none for ElementType::Other.
std::optional<poplar::Type> typeOf(ElementType type);

/// Bytes of one element. LONG has 8 on a CPU, 4 on an IPU.
/// \throws poplar::type_error for ElementType::Other
std::uint32_t elementBytes(ElementType type, Architecture arch, std::uint32_t halfBytes);

/// Whether it is an integer that may be negative.
bool isSigned(ElementType type);

/// Whether it is float or half.
constexpr bool isFloating(ElementType type) {
  return type == ElementType::Float || type == ElementType::Half;
}

} // namespace copse::types
