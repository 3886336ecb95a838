#pragma once

#include "codelets/vertex_type.hpp"

#include "poplar/Type.hpp"

#include <cstdint>
#include <optional>

namespace copse::values {

/// A Type's code is 0 for none, else 1 + the ElementType's number.
struct TypeAccess {
  static constexpr poplar::Type make(codelets::ElementType type) {
    return poplar::Type(static_cast<std::uint8_t>(static_cast<std::uint8_t>(type) + 1));
  }
  static constexpr std::uint8_t code(poplar::Type type) { return type.code_; }
};

/// The element type that \p type names. \throws poplar::type_error if it is none
codelets::ElementType elementType(poplar::Type type);

/// The other way round; none for ElementType::Other.
std::optional<poplar::Type> typeOf(codelets::ElementType type);

/// Bytes of one element. LONG has 8 on a CPU, 4 on an IPU.
/// \throws poplar::type_error for ElementType::Other
std::uint32_t elementBytes(codelets::ElementType type, codelets::Arch arch,
                           std::uint32_t halfBytes);

/// Whether it is an integer that may be negative.
bool isSigned(codelets::ElementType type);

} // namespace copse::values
