#pragma once

#include <string>
#include <vector>

namespace digits {

/// Returns the SHA-256 of the weights of one replica, in hexadecimal.
/// \param weights  weights of all replicas, concatenated
/// \throws std::runtime_error if replicas differ in a bit
std::string hashOfWeights(const std::vector<float> &weights, unsigned replicas);

} // namespace digits
