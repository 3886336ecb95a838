#pragma once

#include "model.hpp"

namespace copse::onnx {

/// Elements drawn for \p input, the same ones for the same seed: reals in [-1, 1), integers and booleans 0 or 1, which
/// are indices of nearly all tables. A first dimension that the model leaves open becomes \p replicas.
/// \throws ModelError if another dimension is open
HostTensor randomInput(const ModelInput &input, unsigned replicas, std::uint64_t seed);

} // namespace copse::onnx
