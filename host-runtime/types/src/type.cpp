#include "poplar/Type.hpp"

#include "poplar/exceptions.hpp"
#include "types/element_type.hpp"

#include <array>
#include <ostream>

namespace copse::types {
namespace {

struct Properties {
  poplar::StringRef name;
  std::uint8_t ipuBytes, cpuBytes;
};

// By ElementType.
constexpr std::array kProperties{
    Properties{{"bool", 4}, 1, 1},         Properties{{"char", 4}, 1, 1},
    Properties{{"signed char", 11}, 1, 1}, Properties{{"unsigned char", 13}, 1, 1},
    Properties{{"short", 5}, 2, 2},        Properties{{"unsigned short", 14}, 2, 2},
    Properties{{"int", 3}, 4, 4},          Properties{{"unsigned int", 12}, 4, 4},
    Properties{{"long", 4}, 4, 8},         Properties{{"unsigned long", 13}, 4, 8},
    Properties{{"long long", 9}, 8, 8},    Properties{{"unsigned long long", 18}, 8, 8},
    Properties{{"half", 4}, 2, 2},         Properties{{"float", 5}, 4, 4},
    Properties{{"quarter", 7}, 1, 1},      Properties{{"quarter_metadata", 16}, 1, 1},
};
static_assert(kProperties.size() == static_cast<std::size_t>(ElementType::Other));

} // namespace

ElementType elementType(poplar::Type type) {
  const unsigned code = TypeAccess::code(type);
  if (code == 0)
    throw poplar::type_error("a default-constructed Type is no element type");
  return static_cast<ElementType>(code - 1);
}

std::optional<poplar::Type> typeOf(ElementType type) {
  if (type == ElementType::Other)
    return std::nullopt;
  return TypeAccess::make(type);
}

std::uint32_t elementBytes(ElementType type, Architecture arch, std::uint32_t halfBytes) {
  if (type == ElementType::Other)
    throw poplar::type_error("a struct or vector type has no element size of its own");
  if (type == ElementType::Half)
    return halfBytes;
  const Properties &p = kProperties[static_cast<std::size_t>(type)];
  return arch == Architecture::Cpu ? p.cpuBytes : p.ipuBytes;
}

bool isSigned(ElementType type) {
  switch (type) {
  case ElementType::Char:
  case ElementType::SignedChar:
  case ElementType::Short:
  case ElementType::Int:
  case ElementType::Long:
  case ElementType::LongLong:
    return true;
  default:
    return false;
  }
}

} // namespace copse::types

namespace poplar {

using copse::types::ElementType;
using copse::types::TypeAccess;

constinit Type BOOL = TypeAccess::make(ElementType::Bool);
constinit Type CHAR = TypeAccess::make(ElementType::Char);
constinit Type UNSIGNED_CHAR = TypeAccess::make(ElementType::UnsignedChar);
constinit Type SIGNED_CHAR = TypeAccess::make(ElementType::SignedChar);
constinit Type UNSIGNED_SHORT = TypeAccess::make(ElementType::UnsignedShort);
constinit Type SHORT = TypeAccess::make(ElementType::Short);
constinit Type UNSIGNED_INT = TypeAccess::make(ElementType::UnsignedInt);
constinit Type INT = TypeAccess::make(ElementType::Int);
constinit Type UNSIGNED_LONG = TypeAccess::make(ElementType::UnsignedLong);
constinit Type LONG = TypeAccess::make(ElementType::Long);
constinit Type UNSIGNED_LONGLONG = TypeAccess::make(ElementType::UnsignedLongLong);
constinit Type LONGLONG = TypeAccess::make(ElementType::LongLong);
constinit Type HALF = TypeAccess::make(ElementType::Half);
constinit Type FLOAT = TypeAccess::make(ElementType::Float);
constinit Type QUARTER = TypeAccess::make(ElementType::Quarter);
constinit Type QUARTER_METADATA = TypeAccess::make(ElementType::QuarterMetadata);

StringRef Type::toString() const {
  if (code_ == 0)
    return "no type";
  return copse::types::kProperties[code_ - 1].name;
}

bool Type::requiresMetadata() const { return *this == QUARTER; }

bool Type::isFloatingPoint() const { return *this == HALF || *this == FLOAT || *this == QUARTER; }

std::ostream &operator<<(std::ostream &out, const Type &type) { return out << type.toString(); }

} // namespace poplar
