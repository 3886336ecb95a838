#include "engine/print_tensor.hpp"

#include "values/half_conversion.hpp"

#include "poplar/Quarter.hpp"

#include <charconv>
#include <cstring>
#include <optional>
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

/// An element of \p bytes bytes as text. Floats have as many digits as tell them apart.
/// \param metadata  of quarters; without, their codes are printed
std::string element(ElementType type, const std::byte *from, std::size_t bytes,
                    std::optional<poplar::QuarterMetadata> metadata) {
  switch (type) {
  case ElementType::Bool:
    return load<std::uint8_t>(from) ? "1" : "0";
  case ElementType::Char:
  case ElementType::SignedChar:
    return decimal<int>(load<std::int8_t>(from));
  case ElementType::Quarter:
    if (metadata)
      return decimal(poplar::encoding::fromQuarter(load<std::uint8_t>(from), *metadata));
    [[fallthrough]];
  case ElementType::QuarterMetadata:
  case ElementType::UnsignedChar:
    return decimal<unsigned>(load<std::uint8_t>(from));
  case ElementType::Short:
    return decimal(load<std::int16_t>(from));
  case ElementType::UnsignedShort:
    return decimal(load<std::uint16_t>(from));
  case ElementType::Int:
  case ElementType::Long: // on a CPU, of 8 bytes
  case ElementType::LongLong:
    return bytes == 8 ? decimal(load<std::int64_t>(from)) : decimal(load<std::int32_t>(from));
  case ElementType::UnsignedInt:
  case ElementType::UnsignedLong:
  case ElementType::UnsignedLongLong:
    return bytes == 8 ? decimal(load<std::uint64_t>(from)) : decimal(load<std::uint32_t>(from));
  case ElementType::Half:
    if (bytes == 2) {
      float value = 0;
      values::halfToFloat(from, &value, 1);
      return decimal(value);
    }
    return decimal(load<float>(from)); // of a CPU without accurateHalf
  case ElementType::Float:
    return decimal(load<float>(from));
  case ElementType::Other:
    break;
  }
  return "?";
}

class Printer {
public:
  Printer(std::ostream &out, const compiler::PrintedTensor &tensor, std::span<const std::byte> row)
      : out_(out), tensor_(tensor) {
    if (tensor.metadata) {
      metadata_ = poplar::QuarterMetadata::fromBits(load<std::uint8_t>(row.data()));
      row = row.subspan(1);
    }
    std::size_t elements = 1;
    for (const std::size_t size : tensor.shape)
      elements *= size;
    data_ = row.data();
    elementBytes_ = elements == 0 ? 0 : row.size() / elements;
  }

  void print(std::size_t dimension) {
    if (dimension == tensor_.shape.size()) {
      out_ << element(tensor_.type, data_, elementBytes_, metadata_);
      data_ += elementBytes_;
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
  const std::byte *data_ = nullptr;
  std::size_t elementBytes_ = 0;
  std::optional<poplar::QuarterMetadata> metadata_;
};

} // namespace

void printTensor(std::ostream &out, const compiler::PrintedTensor &tensor,
                 std::span<const std::byte> row) {
  if (!tensor.title.empty())
    out << tensor.title << ": ";
  Printer(out, tensor, row).print(0);
  out << '\n' << std::flush;
}

} // namespace copse::engine
