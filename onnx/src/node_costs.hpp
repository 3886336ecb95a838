#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Estimates, from shapes, of the needs of a node on its IPU.
struct NodeCost {
  std::uint64_t weightBytes = 0;  ///< constants that earlier nodes do not use
  std::uint64_t workingBytes = 0; ///< inputs and outputs that the device computes
  double cycles = 0;              ///< [modelled cycles]
};

/// Estimates the needs of all nodes.
/// \param values  values of the lowered model, with their shapes
/// \returns one entry for each node
std::vector<NodeCost> nodeCosts(const Model &model, const Values &values,
                                const poplar::Target &target, unsigned tiles);

} // namespace copse::onnx
