#include "host_encoding.hpp"

#include "graph/field_values.hpp"
#include "graph/state.hpp"
#include "graph/types.hpp"
#include "poplar/Quarter.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/exceptions.hpp"
#include "types/target_description.hpp"

#include <cstring>
#include <optional>

namespace copse::graph {
namespace {

/// Returns the bytes of the only element of \p view, if it is constant.
std::optional<std::vector<std::byte>> constantElement(const Model &model, const View &view,
                                                      std::uint32_t elementBytes) {
  const Run run = view.at(0);
  return constantBytes(model, &run, 1, elementBytes);
}

Number numberOf(const std::vector<std::byte> &bytes, ElementType type) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  Number n;
  if (isFloating(type)) {
    n.kind = Number::Kind::Floating;
    n.asFloating = decodeFloating(bytes.data(), 0, type, size);
  } else {
    n.kind = type == ElementType::UnsignedLongLong ? Number::Kind::Unsigned : Number::Kind::Signed;
    n.asSigned = decodeInteger(bytes.data(), 0, type, size);
    n.asUnsigned = static_cast<std::uint64_t>(n.asSigned);
  }
  return n;
}

std::optional<Number> quarterOf(const TensorState &state, std::byte code) {
  const auto metadata = state.metadata ? constantElement(state.graph->model, *state.metadata, 1)
                                       : std::optional<std::vector<std::byte>>();
  if (!metadata) {
    return std::nullopt;
  }
  Number n;
  n.kind = Number::Kind::Floating;
  n.asFloating = poplar::encoding::fromQuarter(
      std::to_integer<std::uint8_t>(code),
      poplar::QuarterMetadata::fromBits(std::to_integer<std::uint8_t>(metadata->front())));
  return n;
}

std::optional<Number> constantNumber(const TensorState &state) {
  const types::TargetDescription &target = types::describe(state.graph->target);
  const ElementType type = state.value.type;
  const auto bytes = constantElement(state.graph->model, state.value.view,
                                     types::elementBytes(type, target.arch, target.halfBytes));
  if (!bytes) {
    return std::nullopt;
  }
  return type == ElementType::Quarter ? quarterOf(state, bytes->front())
                                      : std::optional(numberOf(*bytes, type));
}

template <typename T> void storeFloating(const Number &number, void *value) {
  const auto host = static_cast<T>(asDouble(number));
  std::memcpy(value, &host, sizeof host);
}

/// Stores a number converted like by a cast to the host type.
void store(const Number &number, const poplar::TypeTraits &traits, void *value) {
  using Kind = poplar::TypeTraits::Kind;
  if (traits.kind == Kind::Floating && traits.size == sizeof(double)) {
    return storeFloating<double>(number, value);
  }
  if (traits.kind == Kind::Floating && traits.size == sizeof(long double)) {
    return storeFloating<long double>(number, value);
  }
  const ElementType type = traits.kind == Kind::Half       ? ElementType::Half
                           : traits.kind == Kind::Floating ? ElementType::Float
                           : traits.kind == Kind::Boolean  ? ElementType::Bool
                                                           : ElementType::LongLong;
  std::vector<std::byte> bytes;
  encode(number, type, static_cast<std::uint32_t>(traits.size), bytes);
  std::memcpy(value, bytes.data(), bytes.size());
}

} // namespace
} // namespace copse::graph

namespace poplar {

bool Tensor::getConstantData(void *value, const TypeTraits &traits) const {
  const auto &state = copse::graph::Access::state(*this, "Tensor::getConstantValue");
  if (traits.kind == TypeTraits::Kind::Other) {
    throw type_error("Tensor::getConstantValue: a constant cannot be converted to a host type that "
                     "is no number");
  }
  if (state.value.view.numElements() != 1) {
    return false;
  }
  const auto number = copse::graph::constantNumber(state);
  if (number) {
    copse::graph::store(*number, traits, value);
  }
  return number.has_value();
}

} // namespace poplar
