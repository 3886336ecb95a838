#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace copse::onnx {

/// ONNX's types of elements, with its numbers.  Source: TensorProto.DataType of onnx.proto.
enum class ElementType : int {
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  Bool = 9,
  Half = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13
};
std::string nameOf(ElementType type);
bool isReal(ElementType type);
/// The value that \p value becomes when it is stored as \p type: integers wrap round, booleans are 0 or 1.
std::int64_t wrapped(std::int64_t value, ElementType type);

/// The nearest real that \p type holds.
float rounded(float value, ElementType type);

using Shape = std::vector<std::size_t>;
/// \throws ModelError if the number does not fit
std::size_t elementsOf(const Shape &shape);
std::string textOf(const Shape &shape); ///< "[2, 3]"

/// A tensor in the host's memory, row-major. Of the two vectors, one has the elements: reals those of
/// Float, Half and Double, integers all others.
struct HostTensor {
  ElementType type = ElementType::Float;
  Shape shape;
  std::vector<float> reals;
  std::vector<std::int64_t> integers;

  std::size_t elements() const { return elementsOf(shape); }
  double at(std::size_t i) const {
    return isReal(type) ? double{reals[i]}
           : type == ElementType::UInt64
               ? static_cast<double>(static_cast<std::uint64_t>(integers[i]))
               : static_cast<double>(integers[i]);
  }
};

/// Zeros.
HostTensor makeTensor(ElementType type, Shape shape);
HostTensor integersOf(std::vector<std::int64_t> values);
HostTensor converted(const HostTensor &tensor, ElementType type);

/// Elements as files have them: little-endian, each of its type's width.
std::size_t widthOf(ElementType type); ///< [bytes]
void decodeElements(const void *bytes, HostTensor &tensor);
std::vector<char> encodeElements(const HostTensor &tensor);

} // namespace copse::onnx
