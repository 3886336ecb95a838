#include "printed_numbers.hpp"

#include "graph/field_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <sstream>

namespace copse::engine {

using graph::ElementType;
using poplar::PrintTensorFmt;
using FloatFormat = PrintTensorFmt::FloatFormat;

namespace {

bool isFloating(const DeviceElements &elements) {
  return elements.type == ElementType::Float || elements.type == ElementType::Half ||
         (elements.type == ElementType::Quarter && elements.metadata);
}

double floatingAt(const DeviceElements &elements, std::size_t i) {
  if (elements.type == ElementType::Quarter)
    return poplar::encoding::fromQuarter(std::to_integer<std::uint8_t>(elements.data[i]),
                                         *elements.metadata);
  return graph::decodeFloating(elements.data, i, elements.type,
                               static_cast<std::uint32_t>(elements.elementBytes));
}

std::string integerAt(const DeviceElements &elements, std::size_t i) {
  const ElementType type =
      elements.type == ElementType::Quarter ? ElementType::UnsignedChar : elements.type;
  const std::int64_t value = graph::decodeInteger(
      elements.data, i, type, static_cast<std::uint32_t>(elements.elementBytes));
  const bool large = value < 0 && elements.elementBytes == sizeof value &&
                     (type == ElementType::UnsignedLong || type == ElementType::UnsignedLongLong);
  return large ? std::to_string(static_cast<std::uint64_t>(value)) : std::to_string(value);
}

std::string printed(const char *form, unsigned precision, double value) {
  const int size = std::snprintf(nullptr, 0, form, static_cast<int>(precision), value);
  std::string text(static_cast<std::size_t>(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), form, static_cast<int>(precision), value);
  text.pop_back();
  return text;
}

/// Returns the shortest text that distinguishes \p value from all other floats.
std::string shortest(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, static_cast<float>(value)).ptr;
  return {text, end};
}

std::string asStreamsDo(double value) {
  std::ostringstream text;
  text << value;
  return std::move(text).str();
}

/// The range of magnitudes of some numbers, without infinities and zeros.
struct Magnitudes {
  double largest = 0, smallest = 0;

  explicit Magnitudes(std::span<const double> values) {
    for (const double value : values) {
      const double size = std::fabs(value);
      if (!std::isfinite(size) || size == 0)
        continue;
      largest = std::max(largest, size);
      smallest = smallest == 0 ? size : std::min(smallest, size);
    }
  }
};

/// Returns true if fixed notation with \p digits digits shows all digits of the largest number and
/// half of the digits of the smallest.
bool fixedFits(const Magnitudes &range, unsigned digits) {
  return range.largest < std::pow(10.0, digits) &&
         (range.smallest == 0 || range.smallest >= std::pow(10.0, -static_cast<int>(digits / 2)));
}

/// \param digits  must be at least 1
std::vector<std::string> floatTexts(std::span<const double> values, FloatFormat format,
                                    unsigned digits) {
  const Magnitudes range(values);
  if (format == FloatFormat::Auto)
    format = fixedFits(range, digits) ? FloatFormat::Fixed : FloatFormat::Scientific;
  const double log = range.largest >= 1 ? std::floor(std::log10(range.largest)) : 0;
  const unsigned integerDigits = 1 + static_cast<unsigned>(log);
  std::vector<std::string> texts;
  for (const double value : values)
    texts.push_back(format == FloatFormat::Fixed
                        ? printed("%.*f", digits - std::min(digits, integerDigits), value)
                        : printed("%.*e", digits - 1, value));
  return texts;
}

std::vector<std::string> floatTexts(std::span<const double> values, const PrintTensorFmt &format) {
  if (format.floatFormat != FloatFormat::None && format.digits != 0) {
    constexpr unsigned kMost = 100; // more digits carry no information
    return floatTexts(values, format.floatFormat, std::min(format.digits, kMost));
  }
  std::vector<std::string> texts;
  for (const double value : values)
    texts.push_back(format.floatFormat == FloatFormat::None ? asStreamsDo(value) : shortest(value));
  return texts;
}

void makeAsWide(std::vector<std::string> &texts) {
  std::size_t width = 0;
  for (const std::string &text : texts)
    width = std::max(width, text.size());
  for (std::string &text : texts)
    text.insert(0, width - text.size(), ' ');
}

} // namespace

std::vector<std::string> numberTexts(const DeviceElements &elements,
                                     std::span<const std::size_t> positions,
                                     const PrintTensorFmt &format) {
  std::vector<std::string> texts;
  if (isFloating(elements)) {
    std::vector<double> values;
    for (const std::size_t i : positions)
      values.push_back(floatingAt(elements, i));
    texts = floatTexts(values, format);
  } else {
    for (const std::size_t i : positions)
      texts.push_back(integerAt(elements, i));
  }
  if (format.digits != 0)
    makeAsWide(texts);
  return texts;
}

} // namespace copse::engine
