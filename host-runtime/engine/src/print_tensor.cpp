#include "print_tensor.hpp"

#include "printed_numbers.hpp"

#include "graph/view.hpp"

#include <ostream>
#include <string_view>

namespace copse::engine {
namespace {

constexpr std::string_view kSkipped = "...";

DeviceElements elementsOf(const compiler::PrintedTensor &tensor, std::span<const std::byte> row) {
  DeviceElements elements;
  elements.type = tensor.type;
  if (tensor.metadata) {
    elements.metadata =
        poplar::QuarterMetadata::fromBits(std::to_integer<std::uint8_t>(row.front()));
    row = row.subspan(1);
  }
  const std::size_t count = graph::product(tensor.shape);
  elements.data = row.data();
  elements.elementBytes = count == 0 ? 0 : row.size() / count;
  return elements;
}

/// The part of a tensor that is printed: all of it, or the edges of each dimension.
class Shown {
public:
  explicit Shown(const compiler::PrintedTensor &tensor)
      : shape_(tensor.shape), edge_(tensor.format.edgeItems) {
    const std::size_t threshold = tensor.format.summariseThreshold;
    abbreviated_ = threshold != 0 && graph::product(shape_) > threshold;
  }

  /// Calls \p item with the index of each printed row of \p dimension, and \p skip where rows are
  /// omitted.
  template <class Item, class Skip> void each(std::size_t dimension, Item item, Skip skip) const {
    const std::size_t size = shape_[dimension];
    const bool all = !abbreviated_ || size / 2 < edge_ || size == 2 * edge_;
    for (std::size_t i = 0; i < (all ? size : edge_); ++i)
      item(i);
    if (all)
      return;
    skip();
    for (std::size_t i = size - edge_; i < size; ++i)
      item(i);
  }

  /// Returns the positions of the printed elements in order.
  std::vector<std::size_t> positions() const {
    std::vector<std::size_t> all;
    collect(0, 0, all);
    return all;
  }

private:
  void collect(std::size_t dimension, std::size_t before, std::vector<std::size_t> &out) const {
    if (dimension == shape_.size())
      return out.push_back(before);
    each(
        dimension,
        [&](std::size_t i) { collect(dimension + 1, before * shape_[dimension] + i, out); }, [] {});
  }

  std::span<const std::size_t> shape_;
  std::size_t edge_;
  bool abbreviated_ = false;
};

class Printer {
public:
  Printer(std::ostream &out, const compiler::PrintedTensor &tensor, std::span<const std::byte> row)
      : out_(out), format_(tensor.format), rank_(tensor.shape.size()), shown_(tensor),
        texts_(numberTexts(elementsOf(tensor, row), shown_.positions(), format_)) {}

  void print(std::size_t dimension = 0) {
    if (dimension == rank_)
      out_ << texts_[next_++];
    else if (dimension + 1 == rank_)
      printRow(dimension);
    else
      printRows(dimension);
  }

private:
  void printRows(std::size_t dimension) {
    out_ << format_.openBracket;
    shown_.each(
        dimension,
        [&](std::size_t) {
          newLine(dimension + 1);
          print(dimension + 1);
        },
        [&] {
          newLine(dimension + 1);
          out_ << kSkipped;
        });
    newLine(dimension);
    out_ << format_.closeBracket;
  }

  void printRow(std::size_t dimension) {
    const std::size_t indent = dimension + 1; // the numbers of all lines are right of the bracket
    std::size_t column = indent;
    const auto add = [&](std::string_view text) {
      if (column > indent)
        column = separate(text.size(), column, indent);
      out_ << text;
      column += text.size();
    };
    out_ << format_.openBracket;
    shown_.each(
        dimension, [&](std::size_t) { add(texts_[next_++]); }, [&] { add(kSkipped); });
    out_ << format_.closeBracket;
  }

  /// Prints a separator before a text of \p size characters.
  /// \returns the column at which the text begins
  std::size_t separate(std::size_t size, std::size_t column, std::size_t indent) {
    constexpr std::size_t kBracket = 1; // that may follow
    const bool fits =
        format_.maxLineWidth == 0 || column + 1 + size + kBracket <= format_.maxLineWidth;
    if (fits || format_.separator != ' ') // no blank at the end of a line
      out_ << format_.separator;
    if (fits)
      return column + 1;
    newLine(indent);
    return indent;
  }

  void newLine(std::size_t indent) { out_ << '\n' << std::string(indent, ' '); }

  std::ostream &out_;
  const poplar::PrintTensorFmt &format_;
  std::size_t rank_;
  Shown shown_;
  std::vector<std::string> texts_; ///< the printed elements
  std::size_t next_ = 0;
};

} // namespace

void printTensor(std::ostream &out, const compiler::PrintedTensor &tensor,
                 std::span<const std::byte> row) {
  if (!tensor.title.empty())
    out << tensor.title << ": ";
  Printer(out, tensor, row).print();
  out << '\n' << std::flush;
}

} // namespace copse::engine
