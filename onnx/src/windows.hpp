#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// The windows of a convolution or a pooling over a field. Vectors have an entry for each field
/// dimension.
struct Windows {
  std::vector<std::size_t> kernel;
  std::vector<unsigned> strides, dilations;
  std::vector<int> lower, upper; ///< padding
};

/// Reads kernel_shape, strides, dilations, pads, auto_pad and ceil_mode of a node whose first input
/// is [batch][channels][field...].
/// \param kernel  used if the node has no kernel_shape
Windows windowsOf(const OperatorContext &context, const Shape &kernel);

} // namespace copse::onnx
