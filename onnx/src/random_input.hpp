#pragma once

#include "model.hpp"

namespace copse::onnx {

/// Draws elements for \p input; equal seeds give equal elements. Reals are in [-1, 1); integers and
/// booleans are 0 or 1, which are valid indices of nearly all tables. If the model leaves the first
/// dimension open, its size becomes \p replicas.
/// \throws ModelError  if another dimension is open
HostTensor randomInput(const ModelInput &input, unsigned replicas, std::uint64_t seed);

} // namespace copse::onnx
