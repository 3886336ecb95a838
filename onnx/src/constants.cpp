// Values that the host knows before the model runs.
#include "operators.hpp"

namespace copse::onnx {
namespace {

void constantValue(OperatorContext &c) {
  if (c.hasAttribute("value"))
    return c.outputConstant(c.attribute<HostTensor>("value", {}));
  if (c.hasAttribute("value_float"))
    return c.outputConstant({ElementType::Float, {}, {c.real("value_float", 0)}, {}});
  if (c.hasAttribute("value_int"))
    return c.outputConstant({ElementType::Int64, {}, {}, {c.integer("value_int", 0)}});
  if (c.hasAttribute("value_ints"))
    return c.outputConstant(integersOf(c.integers("value_ints")));
  if (c.hasAttribute("value_floats")) {
    auto values = c.attribute<std::vector<float>>("value_floats", {});
    const Shape shape = {values.size()};
    return c.outputConstant({ElementType::Float, shape, std::move(values), {}});
  }
  c.fail("a constant of a kind that is not supported");
}

void constantOfShape(OperatorContext &c) {
  const HostTensor value = c.attribute<HostTensor>("value", {ElementType::Float, {1}, {0}, {}});
  const auto &wanted = c.known(0).integers;
  HostTensor result = makeTensor(value.type, Shape(wanted.begin(), wanted.end()));
  std::fill(result.reals.begin(), result.reals.end(), value.reals.empty() ? 0 : value.reals[0]);
  std::fill(result.integers.begin(), result.integers.end(),
            value.integers.empty() ? 0 : value.integers[0]);
  c.outputConstant(std::move(result));
}

void shapeOf(OperatorContext &c) {
  const auto rank = static_cast<std::int64_t>(c.shape().size());
  const auto bound = [&](const char *name, std::int64_t otherwise) {
    const std::int64_t at = c.integer(name, otherwise);
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t begin = bound("start", 0), end = std::max(begin, bound("end", rank));
  c.outputConstant(integersOf({c.shape().begin() + begin, c.shape().begin() + end}));
}

void sizeOf(OperatorContext &c) {
  c.outputConstant(
      {ElementType::Int64, {}, {}, {static_cast<std::int64_t>(elementsOf(c.shape()))}});
}

} // namespace

void addConstants(OperatorTable &table) {
  table["Constant"] = constantValue;
  table["ConstantOfShape"] = constantOfShape;
  table["Shape"] = shapeOf;
  table["Size"] = sizeOf;
}

} // namespace copse::onnx
