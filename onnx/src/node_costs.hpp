#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Needs of a node on its IPU: estimates from shapes.
struct NodeCost {
  std::uint64_t weightBytes = 0;  ///< constants that no earlier node uses
  std::uint64_t workingBytes = 0; ///< inputs and outputs that the device computes
  double cycles = 0;              ///< [modelled cycles]
};

/// \param values  of the lowered model; gives the shapes
/// \returns one entry for each node
std::vector<NodeCost> nodeCosts(const Model &model, const Values &values,
                                const poplar::Target &target, unsigned tiles);

} // namespace copse::onnx
