#include "host_tensor.hpp"

#include "errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <poplar/IeeeHalf.hpp>

namespace copse::onnx {
namespace {

struct TypeFacts {
  ElementType type;
  const char *name;
  std::size_t width; // [bytes]
  bool isSigned;
};
constexpr TypeFacts kTypes[] = {
    {ElementType::Float, "float32", 4, true},  {ElementType::UInt8, "uint8", 1, false},
    {ElementType::Int8, "int8", 1, true},      {ElementType::UInt16, "uint16", 2, false},
    {ElementType::Int16, "int16", 2, true},    {ElementType::Int32, "int32", 4, true},
    {ElementType::Int64, "int64", 8, true},    {ElementType::Bool, "bool", 1, false},
    {ElementType::Half, "float16", 2, true},   {ElementType::Double, "float64", 8, true},
    {ElementType::UInt32, "uint32", 4, false}, {ElementType::UInt64, "uint64", 8, false},
};

const TypeFacts &factsOf(ElementType type) {
  for (const TypeFacts &facts : kTypes)
    if (facts.type == type)
      return facts;
  throw ModelError("elements of ONNX's type " + std::to_string(static_cast<int>(type)) +
                   " are not supported");
}

float realAt(const char *bytes, ElementType type) {
  if (type == ElementType::Half) {
    std::uint16_t bits;
    std::memcpy(&bits, bytes, sizeof bits);
    return poplar::IeeeHalf::fromBits(bits);
  }
  if (type == ElementType::Double) {
    double value;
    std::memcpy(&value, bytes, sizeof value);
    if (std::isfinite(value) && std::fabs(value) > std::numeric_limits<float>::max())
      throw ModelError("a float64 of " + std::to_string(value) +
                       " is outside the range of float32, in which reals are computed");
    return static_cast<float>(value);
  }
  float value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

void writeReal(char *bytes, float value, ElementType type) {
  if (type == ElementType::Half) {
    const std::uint16_t bits = poplar::IeeeHalf(value).bit();
    std::memcpy(bytes, &bits, sizeof bits);
  } else if (type == ElementType::Double) {
    const double wide = double{value};
    std::memcpy(bytes, &wide, sizeof wide);
  } else {
    std::memcpy(bytes, &value, sizeof value);
  }
}

} // namespace

std::string nameOf(ElementType type) { return factsOf(type).name; }

bool isReal(ElementType type) {
  return type == ElementType::Float || type == ElementType::Half || type == ElementType::Double;
}

std::int64_t wrapped(std::int64_t value, ElementType type) {
  if (type == ElementType::Bool)
    return value != 0;
  const TypeFacts &facts = factsOf(type);
  if (facts.width == 8)
    return value;
  const unsigned unused = 64 - 8 * static_cast<unsigned>(facts.width);
  const std::uint64_t raised = static_cast<std::uint64_t>(value) << unused;
  return facts.isSigned ? static_cast<std::int64_t>(raised) >> unused
                        : static_cast<std::int64_t>(raised >> unused);
}

float rounded(float value, ElementType type) {
  return type == ElementType::Half ? float{poplar::IeeeHalf(value)} : value;
}

std::size_t elementsOf(const Shape &shape) {
  if (std::find(shape.begin(), shape.end(), std::size_t{0}) != shape.end())
    return 0;
  std::size_t elements = 1;
  for (const std::size_t size : shape)
    if (__builtin_mul_overflow(elements, size, &elements))
      throw ModelError("shape " + textOf(shape) + " has more elements than can be counted");
  return elements;
}

std::string textOf(const Shape &shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

HostTensor makeTensor(ElementType type, Shape shape) {
  HostTensor tensor{type, std::move(shape), {}, {}};
  if (isReal(type))
    tensor.reals.resize(tensor.elements());
  else
    tensor.integers.resize(tensor.elements());
  return tensor;
}

HostTensor integersOf(std::vector<std::int64_t> values) {
  return {ElementType::Int64, {values.size()}, {}, std::move(values)};
}

namespace {

/// Truncates a number. A number out of range becomes the nearest integer within it.
std::int64_t truncated(float value) {
  constexpr float kLimit = 9.2233720e18f;
  return std::isnan(value)  ? 0
         : value >= kLimit  ? std::numeric_limits<std::int64_t>::max()
         : value <= -kLimit ? std::numeric_limits<std::int64_t>::min()
                            : static_cast<std::int64_t>(value);
}

} // namespace

HostTensor converted(const HostTensor &tensor, ElementType type) {
  HostTensor result = makeTensor(type, tensor.shape);
  for (std::size_t i = 0; i < tensor.elements(); ++i) {
    if (isReal(type))
      result.reals[i] = rounded(static_cast<float>(tensor.at(i)), type);
    else if (type == ElementType::Bool)
      result.integers[i] = tensor.at(i) != 0;
    else
      result.integers[i] =
          wrapped(isReal(tensor.type) ? truncated(tensor.reals[i]) : tensor.integers[i], type);
  }
  return result;
}

std::size_t widthOf(ElementType type) { return factsOf(type).width; }

void decodeElements(const void *bytes, HostTensor &tensor) {
  const std::size_t width = widthOf(tensor.type), elements = tensor.elements();
  const char *const begin = static_cast<const char *>(bytes);
  tensor = makeTensor(tensor.type, std::move(tensor.shape));
  for (std::size_t i = 0; i < elements; ++i) {
    if (isReal(tensor.type)) {
      tensor.reals[i] = realAt(begin + i * width, tensor.type);
    } else {
      std::memcpy(&tensor.integers[i], begin + i * width, width);
      tensor.integers[i] = wrapped(tensor.integers[i], tensor.type);
    }
  }
}

std::vector<char> encodeElements(const HostTensor &tensor) {
  const std::size_t width = widthOf(tensor.type), elements = tensor.elements();
  std::vector<char> bytes(elements * width);
  for (std::size_t i = 0; i < elements; ++i) {
    if (isReal(tensor.type))
      writeReal(bytes.data() + i * width, tensor.reals[i], tensor.type);
    else
      std::memcpy(bytes.data() + i * width, &tensor.integers[i], width);
  }
  return bytes;
}

} // namespace copse::onnx
