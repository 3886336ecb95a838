#pragma once

#include "poplar/Type.hpp"
#include "types/architecture.hpp"

#include <cstdint>
#include <optional>

namespace copse::types {

/// The element type of a field as stored in tile memory. An enumeration has the type of its
/// underlying integer, and long, which has 8 bytes in native code, is LongLong. `Other` is a struct
/// or vector type, of which only the size matters.
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

/// Converts the code of a Type: 0 for none, else 1 + the number of the ElementType.
struct TypeAccess {
  static constexpr poplar::Type make(ElementType type) {
    return poplar::Type(static_cast<std::uint8_t>(static_cast<std::uint8_t>(type) + 1));
  }
  static constexpr std::uint8_t code(poplar::Type type) { return type.code_; }
};

/// Returns the element type that \p type names.
/// \throws poplar::type_error if \p type is empty
ElementType elementType(poplar::Type type);

/// Returns the Type of an element type; nothing for ElementType::Other.
std::optional<poplar::Type> typeOf(ElementType type);

/// Returns the bytes of one element. LONG has 8 on a CPU and 4 on an IPU.
/// \throws poplar::type_error for ElementType::Other
std::uint32_t elementBytes(ElementType type, Architecture arch, std::uint32_t halfBytes);

/// Returns true for a signed integer type.
bool isSigned(ElementType type);

/// Returns true for float and half.
constexpr bool isFloating(ElementType type) {
  return type == ElementType::Float || type == ElementType::Half;
}

} // namespace copse::types
