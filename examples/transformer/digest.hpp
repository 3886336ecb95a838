#pragma once

#include <cstddef>
#include <poplar/Engine.hpp>
#include <string>
#include <vector>

namespace transformer {

/// Returns the SHA-256 of all parameters.
/// \param counts  elements of each stage's
/// \throws std::runtime_error if replicas differ, which gradients of the same bits never make them
std::string parametersDigest(poplar::Engine &engine, const std::vector<std::size_t> &counts,
                             unsigned replicas);

} // namespace transformer
