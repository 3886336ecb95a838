// Operators whose values the host knows before the model runs.
#include "operators.hpp"

#include <cmath>

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
  for (const std::int64_t size : wanted)
    if (size < 0)
      c.fail("a dimension of size " + std::to_string(size));
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

/// Computes start, start + step, ... up to the limit, which is excluded.
void range(OperatorContext &c) {
  const HostTensor &start = c.known(0), &limit = c.known(1), &step = c.known(2);
  for (const HostTensor *scalar : {&start, &limit, &step})
    if (scalar->elements() != 1 || scalar->type != start.type)
      c.fail("start, limit and delta are not scalars of one type");
  if (step.at(0) == 0)
    c.fail("a delta of 0");
  const double count = std::ceil((limit.at(0) - start.at(0)) / step.at(0));
  HostTensor result =
      makeTensor(start.type, {static_cast<std::size_t>(std::clamp(count, 0.0, 1e9))});
  for (std::size_t i = 0; i < result.elements(); ++i)
    if (isReal(result.type))
      result.reals[i] = rounded(
          static_cast<float>(start.at(0) + static_cast<double>(i) * step.at(0)), result.type);
    else
      result.integers[i] =
          wrapped(start.integers[0] + static_cast<std::int64_t>(i) * step.integers[0], result.type);
  c.outputConstant(std::move(result));
}

/// Returns the lowering of a window function: a sum of cosines of multiples of the position.
Lowering cosineWindow(std::vector<double> coefficients) {
  return [=](OperatorContext &c) {
    const HostTensor &size = c.known(0);
    if (size.elements() != 1 || size.integers[0] < 0)
      c.fail("the size is no scalar from 0 on");
    const auto type = static_cast<ElementType>(
        c.integer("output_datatype", static_cast<int>(ElementType::Float)));
    HostTensor result =
        makeTensor(ElementType::Float, {static_cast<std::size_t>(size.integers[0])});
    const double period = size.at(0) - (c.integer("periodic", 1) != 0 ? 0 : 1);
    for (std::size_t i = 0; i < result.elements(); ++i) {
      double value = 0;
      for (std::size_t k = 0; k < coefficients.size(); ++k)
        value += coefficients[k] * std::cos(2 * M_PI * static_cast<double>(k * i) / period);
      result.reals[i] = static_cast<float>(value);
    }
    c.outputConstant(converted(result, type));
  };
}

} // namespace

void addConstants(OperatorTable &table) {
  table["Constant"] = constantValue;
  table["ConstantOfShape"] = constantOfShape;
  table["NonZero"] = [](OperatorContext &c) {
    c.fail("the number of elements is known only when the device has computed the input");
  };
  table["Range"] = range;
  table["Shape"] = shapeOf;
  table["HannWindow"] = cosineWindow({0.5, -0.5});
  table["HammingWindow"] = cosineWindow({25.0 / 46, -21.0 / 46});
  table["BlackmanWindow"] = cosineWindow({0.42, -0.5, 0.08});
  table["Size"] = sizeOf;
}

} // namespace copse::onnx
