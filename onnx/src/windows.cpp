#include "windows.hpp"

namespace copse::onnx {
namespace {

template <class T>
std::vector<T> sizesOr(const OperatorContext &c, const char *name, std::vector<T> otherwise) {
  const auto list = c.integers(name);
  if (list.empty())
    return otherwise;
  if (list.size() != otherwise.size())
    c.fail(std::string("attribute '") + name + "' has " + std::to_string(list.size()) +
           " entries for " + std::to_string(otherwise.size()) + " dimensions");
  return std::vector<T>(list.begin(), list.end());
}

/// Pads so that there are ceil(size / stride) windows. Odd padding goes to the end that auto_pad
/// names.
void padToSame(const Shape &field, bool more, Windows &w) {
  for (std::size_t d = 0; d < field.size(); ++d) {
    const auto size = static_cast<int>(field[d]), stride = static_cast<int>(w.strides[d]);
    const int extent = static_cast<int>(w.dilations[d] * (w.kernel[d] - 1)) + 1;
    const int total = std::max(0, ((size + stride - 1) / stride - 1) * stride + extent - size);
    w.lower[d] = more ? (total + 1) / 2 : total / 2;
    w.upper[d] = total - w.lower[d];
  }
}

/// Pads so that a last window that starts within the input or its lower padding counts, even if it
/// is not full.
void padToCeiling(const Shape &field, Windows &w) {
  for (std::size_t d = 0; d < field.size(); ++d) {
    const auto stride = static_cast<int>(w.strides[d]);
    const int extent = static_cast<int>(w.dilations[d] * (w.kernel[d] - 1)) + 1;
    const int free = static_cast<int>(field[d]) + w.lower[d] + w.upper[d] - extent;
    const int added = (stride - free % stride) % stride;
    if (free + added < static_cast<int>(field[d]) + w.lower[d])
      w.upper[d] += added;
  }
}

} // namespace

Windows windowsOf(const OperatorContext &c, const Shape &kernel) {
  const Shape field(c.shape().begin() + 2, c.shape().end());
  const std::size_t n = field.size();
  Windows w;
  w.kernel = sizesOr<std::size_t>(c, "kernel_shape", kernel.empty() ? Shape(n, 1) : kernel);
  if (!kernel.empty() && w.kernel != kernel)
    c.fail("attribute 'kernel_shape' = " + textOf(w.kernel) + " does not fit weights of " +
           textOf(kernel));
  w.strides = sizesOr<unsigned>(c, "strides", std::vector<unsigned>(n, 1));
  w.dilations = sizesOr<unsigned>(c, "dilations", std::vector<unsigned>(n, 1));
  const auto pads = sizesOr<int>(c, "pads", std::vector<int>(2 * n, 0));
  w.lower.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(n));
  w.upper.assign(pads.begin() + static_cast<std::ptrdiff_t>(n), pads.end());
  const auto automatic = c.attribute<std::string>("auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER")
    padToSame(field, automatic == "SAME_LOWER", w);
  else if (automatic != "NOTSET" && automatic != "VALID" && !automatic.empty())
    c.fail("attribute 'auto_pad' = '" + automatic + "' is not supported");
  else if (automatic == "VALID" && pads != std::vector<int>(2 * n, 0))
    c.fail("attributes 'pads' and 'auto_pad' = 'VALID' contradict each other");
  if (c.integer("ceil_mode", 0) != 0)
    padToCeiling(field, w);
  return w;
}

} // namespace copse::onnx
