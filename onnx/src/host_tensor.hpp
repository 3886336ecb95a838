#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace copse::onnx {

/// ONNX's element types, with ONNX's numbers. Source: TensorProto.DataType of onnx.proto.
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
/// Returns \p value as it is stored in \p type: integers wrap around, booleans are 0 or 1.
std::int64_t wrapped(std::int64_t value, ElementType type);

/// Returns the nearest real that \p type can hold.
float rounded(float value, ElementType type);

using Shape = std::vector<std::size_t>;
/// Returns the number of elements.
/// \throws ModelError  if the number does not fit
std::size_t elementsOf(const Shape &shape);
std::string textOf(const Shape &shape); ///< "[2, 3]"

/// A tensor in the host's memory, row-major. One of the two vectors has the elements: reals for
/// Float, Half and Double, integers for all other types.
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

/// Returns a tensor of zeros.
HostTensor makeTensor(ElementType type, Shape shape);
HostTensor integersOf(std::vector<std::int64_t> values);
HostTensor converted(const HostTensor &tensor, ElementType type);

/// Convert elements to and from the format of files: little-endian, each with its type's width.
std::size_t widthOf(ElementType type); ///< [bytes]
void decodeElements(const void *bytes, HostTensor &tensor);
std::vector<char> encodeElements(const HostTensor &tensor);

} // namespace copse::onnx
