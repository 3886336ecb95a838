#include "dataset.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace digits {

namespace {

constexpr unsigned kDarkest = 16;
constexpr unsigned kHoldBackEvery = 5;

[[noreturn]] void fail(const std::string &path, unsigned line, const std::string &what) {
  throw std::runtime_error(path + ":" + std::to_string(line) + ": " + what);
}

/// Returns the number at \p at, which must end at a comma or at the end of the line; moves \p at
/// behind it.
long nextNumber(const std::string &text, std::size_t &at, const std::string &path, unsigned line) {
  const char *const begin = text.c_str() + at;
  char *end = nullptr;
  const long value = std::strtol(begin, &end, 10);
  if (end == begin || (*end != ',' && *end != '\0'))
    fail(path, line, "expected a whole number, found '" + text.substr(at, 12) + "'");
  at = static_cast<std::size_t>(end - text.c_str()) + (*end == ',' ? 1 : 0);
  return value;
}

Image parseLine(const std::string &text, const std::string &path, unsigned line) {
  Image image{};
  std::size_t at = 0;
  for (unsigned p = 0; p < kPixels; ++p) {
    if (at >= text.size())
      fail(path, line, "expected 64 pixels and a label, found " + std::to_string(p) + " numbers");
    const long value = nextNumber(text, at, path, line);
    if (value < 0 || value > static_cast<long>(kDarkest))
      fail(path, line,
           "pixel " + std::to_string(p) + " is " + std::to_string(value) + ", not 0 to 16");
    image.pixels[p] = static_cast<float>(value) / kDarkest;
  }
  if (at >= text.size())
    fail(path, line, "the label is missing");
  const long label = nextNumber(text, at, path, line);
  if (label < 0 || label >= static_cast<long>(kClasses))
    fail(path, line, "the label is " + std::to_string(label) + ", not 0 to 9");
  if (at < text.size())
    fail(path, line, "expected 64 pixels and a label, found more");
  image.label = static_cast<std::int32_t>(label);
  return image;
}

} // namespace

Dataset readDataset(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(path +
                             ": cannot be opened; give the folder of digits.csv with --data");
  Dataset dataset;
  std::string text;
  for (unsigned line = 1; std::getline(file, text); ++line) {
    if (!text.empty() && text.back() == '\r')
      text.pop_back();
    const Image image = parseLine(text, path, line);
    (line % kHoldBackEvery == 0 ? dataset.test : dataset.train).push_back(image);
  }
  if (dataset.train.empty() || dataset.test.empty())
    throw std::runtime_error(path + ": holds no images");
  return dataset;
}

} // namespace digits
