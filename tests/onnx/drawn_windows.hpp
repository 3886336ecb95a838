#pragma once

#include "random_node.hpp"

namespace copse::test {

/// Windows over a field, with an entry for each of its dimensions.
struct Windows {
  std::vector<std::int64_t> kernel, strides, dilations, lower, upper;
  Shape outputs;
};

/// Draws windows over a field whose sizes it draws, too. No window is all padding.
/// \param dilates  true: the elements of a window may lie apart
Windows windowsOver(Random &random, onnx::Shape &field, bool dilates);

/// Pads by a mode of auto_pad, if one fits.
/// \returns the mode; empty if the node needs explicit padding
std::string padAutomatically(Random &random, const onnx::Shape &field, Windows &w);

/// Returns the padding in the order of ONNX's attribute.
std::vector<std::int64_t> padsOf(const Windows &w);

/// Computes the position of element \p at of the kernel for this output.
/// \returns true if it is in the field
bool positionIn(const Windows &w, const onnx::Shape &field, const onnx::Shape &output,
                const onnx::Shape &at, onnx::Shape &position);

onnx::Shape sizes(const std::vector<std::int64_t> &list);
onnx::Shape joined(onnx::Shape first, const onnx::Shape &rest);

} // namespace copse::test
