#include "engine/print_tensor.hpp"

#include "values/half_conversion.hpp"

#include <charconv>
#include <cstring>
#include <ostream>

namespace copse::engine {

using graph::ElementType;

namespace {

template <class T> T load(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T> std::string decimal(T value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

/// The element at \p from as text, and its size in bytes. Floats have as many digits as tell them
/// apart.
std::pair<std::string, std::size_t> element(ElementType type, const std::byte *from,
                                            std::uint32_t halfBytes) {
  switch (type) {
  case ElementType::Bool:
    return {load<std::uint8_t>(from) ? "1" : "0", 1};
  case ElementType::Char:
  case ElementType::SignedChar:
    return {decimal<int>(load<std::int8_t>(from)), 1};
  case ElementType::UnsignedChar:
    return {decimal<unsigned>(load<std::uint8_t>(from)), 1};
  case ElementType::Short:
    return {decimal(load<std::int16_t>(from)), 2};
  case ElementType::UnsignedShort:
    return {decimal(load<std::uint16_t>(from)), 2};
  case ElementType::Int:
  case ElementType::Long:
    return {decimal(load<std::int32_t>(from)), 4};
  case ElementType::UnsignedInt:
  case ElementType::UnsignedLong:
    return {decimal(load<std::uint32_t>(from)), 4};
  case ElementType::LongLong:
    return {decimal(load<std::int64_t>(from)), 8};
  case ElementType::UnsignedLongLong:
    return {decimal(load<std::uint64_t>(from)), 8};
  case ElementType::Half:
    if (halfBytes == 2) {
      float value = 0;
      values::halfToFloat(from, &value, 1);
      return {decimal(value), 2};
    }
    return {decimal(load<float>(from)), 4};
  case ElementType::Float:
    return {decimal(load<float>(from)), 4};
  case ElementType::Other:
    break;
  }
  return {"?", 1};
}

class Printer {
public:
  Printer(std::ostream &out, const compiler::PrintedTensor &tensor, const std::byte *data,
          std::uint32_t halfBytes)
      : out_(out), tensor_(tensor), data_(data), halfBytes_(halfBytes) {}

  void print(std::size_t dimension) {
    if (dimension == tensor_.shape.size()) {
      const auto [text, bytes] = element(tensor_.type, data_, halfBytes_);
      out_ << text;
      data_ += bytes;
      return;
    }
    const bool innermost = dimension + 1 == tensor_.shape.size();
    out_ << '[';
    for (std::size_t i = 0; i < tensor_.shape[dimension]; ++i) {
      if (i > 0)
        out_ << (innermost ? " " : "\n ");
      print(dimension + 1);
    }
    out_ << ']';
  }

private:
  std::ostream &out_;
  const compiler::PrintedTensor &tensor_;
  const std::byte *data_;
  std::uint32_t halfBytes_;
};

} // namespace

void printTensor(std::ostream &out, const compiler::PrintedTensor &tensor,
                 std::span<const std::byte> row, std::uint32_t halfBytes) {
  if (!tensor.title.empty())
    out << tensor.title << ": ";
  Printer(out, tensor, row.data(), halfBytes).print(0);
  out << '\n' << std::flush;
}

} // namespace copse::engine
