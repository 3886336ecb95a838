#include "random_node.hpp"

#include <cmath>
#include <limits>

namespace copse::test {

using onnx::ElementType;
using onnx::HostTensor;
using onnx::Shape;

const std::vector<ElementType> kReals = {ElementType::Float, ElementType::Half,
                                         ElementType::Double};
const std::vector<ElementType> kIntegers = {
    ElementType::Int8,  ElementType::UInt8,  ElementType::Int16, ElementType::UInt16,
    ElementType::Int32, ElementType::UInt32, ElementType::Int64, ElementType::UInt64};
const std::vector<ElementType> kNumbers = {
    ElementType::Float,  ElementType::Half,  ElementType::Double, ElementType::Int8,
    ElementType::UInt8,  ElementType::Int16, ElementType::UInt16, ElementType::Int32,
    ElementType::UInt32, ElementType::Int64, ElementType::UInt64};
const std::vector<ElementType> kAllTypes = {
    ElementType::Float,  ElementType::Half,  ElementType::Double, ElementType::Int8,
    ElementType::UInt8,  ElementType::Int16, ElementType::UInt16, ElementType::Int32,
    ElementType::UInt32, ElementType::Int64, ElementType::UInt64, ElementType::Bool};

bool isSigned(ElementType type) {
  return type != ElementType::UInt64 && onnx::wrapped(-1, type) < 0;
}

Shape Random::shape(std::size_t lowestRank, std::size_t highestRank) {
  constexpr std::size_t kMost = 300; // elements
  Shape shape(between(lowestRank, highestRank));
  std::size_t all = 1;
  for (std::size_t &dimension : shape) {
    dimension = size();
    if (all * std::max<std::size_t>(1, dimension) > kMost)
      dimension = 1;
    all *= std::max<std::size_t>(1, dimension);
  }
  return shape;
}

Shape Random::broadcastable(const Shape &shape) {
  Shape result = shape;
  if (oneIn(2))
    return result;
  for (std::size_t &dimension : result)
    dimension = oneIn(3) ? 1 : dimension;
  result.erase(result.begin(),
               result.begin() + static_cast<std::ptrdiff_t>(below(result.size() + 1)));
  return result;
}

double Random::real(Reals like, ElementType type) {
  const double ordinary = (fraction() - 0.5) * 8;
  if (like == Reals::Ordinary || oneIn(2))
    return ordinary;
  if (like == Reals::Special && oneIn(4))
    return oneOf(std::vector<double>{
        std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), 0.0, -0.0, 1, -1, 0.5, -2.5});
  const double most = type == ElementType::Half ? 15 : 127,
               least = type == ElementType::Half ? 13 : 125;
  const double size = std::exp2((fraction() * (most + least)) - least);
  return oneIn(2) ? size : -size;
}

HostTensor Random::tensor(ElementType type, const Shape &shape, Reals like) {
  if (!isReal(type)) {
    if (type == ElementType::Bool)
      return integers(type, shape, 0, 1);
    const bool hasSign = isSigned(type);
    if (onnx::widthOf(type) == 8)
      return integers(type, shape, hasSign ? -1000 : 0, 1000);
    HostTensor result = integers(type, shape, hasSign ? -10 : 0, 10);
    for (std::int64_t &i : result.integers)
      if (oneIn(2))
        i = onnx::wrapped(static_cast<std::int64_t>(engine_()), type);
      else if (oneIn(6)) // the limits
        i = onnx::wrapped(oneOf(std::vector<std::int64_t>{
                              -1, std::int64_t{1} << (8 * onnx::widthOf(type) - 1),
                              (std::int64_t{1} << (8 * onnx::widthOf(type) - 1)) - 1}),
                          type);
    return result;
  }
  HostTensor result = makeTensor(type, shape);
  for (float &value : result.reals)
    value = onnx::rounded(static_cast<float>(real(like, type)), type);
  return result;
}

HostTensor Random::integers(ElementType type, const Shape &shape, std::int64_t low,
                            std::int64_t high) {
  HostTensor result = makeTensor(type, shape);
  for (std::int64_t &i : result.integers)
    i = signedBetween(low, high);
  return result;
}

void forEachIndex(const Shape &shape, const std::function<void(const Shape &)> &visit) {
  Shape index(shape.size(), 0);
  for (std::size_t left = onnx::elementsOf(shape); left > 0; --left) {
    visit(index);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

std::size_t positionOf(const Shape &shape, const Shape &index) {
  std::size_t position = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::size_t at = index[index.size() - shape.size() + d];
    position = position * shape[d] + (shape[d] == 1 ? 0 : at);
  }
  return position;
}

Shape broadcastOf(const Shape &a, const Shape &b) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (const Shape *shape : {&a, &b})
    for (std::size_t d = 0; d < shape->size(); ++d)
      if ((*shape)[d] != 1)
        result[result.size() - shape->size() + d] = (*shape)[d];
  return result;
}

void setElement(HostTensor &tensor, std::size_t position, double value) {
  if (isReal(tensor.type))
    tensor.reals[position] = onnx::rounded(static_cast<float>(value), tensor.type);
  else
    setInteger(tensor, position, static_cast<std::int64_t>(value));
}

void setInteger(HostTensor &tensor, std::size_t position, std::int64_t value) {
  tensor.integers[position] = onnx::wrapped(value, tensor.type);
}

HostTensor listOf(const std::vector<std::int64_t> &values) { return onnx::integersOf(values); }

std::vector<std::int64_t> listOf(const Shape &shape) { return {shape.begin(), shape.end()}; }

void copyElement(HostTensor &to, std::size_t position, const HostTensor &from, std::size_t source) {
  if (isReal(to.type))
    to.reals[position] = from.reals[source];
  else
    to.integers[position] = from.integers[source];
}

HostTensor moved(const HostTensor &input, const Shape &shape,
                 const std::function<std::size_t(const Shape &)> &from) {
  HostTensor result = makeTensor(input.type, shape);
  std::size_t position = 0;
  forEachIndex(shape,
               [&](const Shape &index) { copyElement(result, position++, input, from(index)); });
  return result;
}

} // namespace copse::test
