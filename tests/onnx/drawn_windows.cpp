#include "drawn_windows.hpp"

#include <algorithm>

namespace copse::test {

using onnx::Shape;
using Integers = std::vector<std::int64_t>;

Windows windowsOver(Random &random, Shape &field, bool dilates) {
  Windows w;
  for (std::size_t &size : field) {
    size = random.between(1, 6);
    const std::int64_t stride = random.signedBetween(1, 2),
                       dilation = dilates ? random.signedBetween(1, 2) : 1;
    std::int64_t kernel = random.signedBetween(1, 3);
    std::int64_t lower = random.signedBetween(0, kernel - 1),
                 upper = random.signedBetween(0, kernel - 1);
    while (dilation * (kernel - 1) + 1 > number(size) + lower + upper)
      --kernel;
    lower = std::min(lower, kernel - 1); // no window is all padding
    upper = std::min(upper, kernel - 1);
    while (dilation * (kernel - 1) + 1 > number(size) + lower + upper)
      ++size;
    w.kernel.push_back(kernel);
    w.strides.push_back(stride);
    w.dilations.push_back(dilation);
    w.lower.push_back(lower);
    w.upper.push_back(upper);
    w.outputs.push_back(static_cast<std::size_t>(
        (number(size) + lower + upper - dilation * (kernel - 1) - 1) / stride + 1));
  }
  return w;
}

std::string padAutomatically(Random &random, const Shape &field, Windows &w) {
  const auto mode =
      random.oneOf(std::vector<std::string>{"", "", "SAME_UPPER", "SAME_LOWER", "VALID"});
  const auto extent = [&](std::size_t d) { return w.dilations[d] * (w.kernel[d] - 1) + 1; };
  for (std::size_t d = 0; d < field.size(); ++d)
    if (mode.empty() || (mode == "VALID" && extent(d) > number(field[d])))
      return "";
  for (std::size_t d = 0; d < field.size(); ++d) {
    const std::int64_t size = number(field[d]), stride = w.strides[d],
                       windows = mode == "VALID" ? (size - extent(d)) / stride + 1
                                                 : (size + stride - 1) / stride,
                       total = std::max<std::int64_t>(0, (windows - 1) * stride + extent(d) - size);
    w.lower[d] = mode == "VALID" ? 0 : (total + (mode == "SAME_LOWER" ? 1 : 0)) / 2;
    w.upper[d] = mode == "VALID" ? 0 : total - w.lower[d];
    w.outputs[d] = static_cast<std::size_t>(windows);
  }
  return mode;
}

Integers padsOf(const Windows &w) {
  Integers pads = w.lower;
  pads.insert(pads.end(), w.upper.begin(), w.upper.end());
  return pads;
}

Shape sizes(const Integers &list) { return {list.begin(), list.end()}; }

bool positionIn(const Windows &w, const Shape &field, const Shape &output, const Shape &at,
                Shape &position) {
  position.clear();
  for (std::size_t d = 0; d < field.size(); ++d) {
    const std::int64_t p =
        number(output[d]) * w.strides[d] + number(at[d]) * w.dilations[d] - w.lower[d];
    if (p < 0 || p >= number(field[d]))
      return false;
    position.push_back(static_cast<std::size_t>(p));
  }
  return true;
}

Shape joined(Shape first, const Shape &rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

} // namespace copse::test
