#pragma once

#include <stdexcept>

namespace copse::onnx {

/// Reports that the model or a request of the user cannot be run. The message names the node or the
/// file.
struct ModelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace copse::onnx
