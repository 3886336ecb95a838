#include "poplar/Target.hpp"
#include "poplar/exceptions.hpp"
#include "types/element_type.hpp"
#include "types/target_description.hpp"

#include <limits>

namespace poplar {
namespace {

using copse::types::ElementType;

TypeLimits floatingLimits(double max, double min) {
  TypeLimits limits;
  limits.floating = true;
  limits.max = max;
  limits.min = min;
  limits.lowest = -max;
  return limits;
}

TypeLimits integerLimits(std::size_t bytes, bool isSigned) {
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * bytes);
  TypeLimits limits;
  limits.maxInteger = isSigned ? all >> 1 : all;
  limits.lowestInteger = isSigned ? -1 - static_cast<std::int64_t>(all >> 1) : 0;
  return limits;
}

} // namespace

TypeLimits Target::getTypeLimits(const Type &type) const {
  const ElementType element = copse::types::elementType(type);
  const std::size_t bytes = getTypeSize(type);
  using Float = std::numeric_limits<float>;
  constexpr double kLargestHalf = 65504, kSmallestHalf = 0x1p-14;
  switch (element) {
  case ElementType::Quarter:
  case ElementType::QuarterMetadata:
    throw type_error("getTypeLimits: the limits of " + type.toString() + " depend on its metadata");
  case ElementType::Half:
    return bytes == 2 ? floatingLimits(kLargestHalf, kSmallestHalf)
                      : floatingLimits(Float::max(), Float::min());
  case ElementType::Float:
    return floatingLimits(Float::max(), Float::min());
  case ElementType::Bool: {
    TypeLimits limits;
    limits.maxInteger = 1;
    return limits;
  }
  default:
    return integerLimits(bytes, copse::types::isSigned(element));
  }
}

} // namespace poplar
