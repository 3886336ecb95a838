#pragma once

#include "batches.hpp"
#include "placement.hpp"

namespace copse::onnx {

/// A lowered model: the program of one step, and the places of its values.
struct LoweredModel {
  poplar::program::Sequence body;
  Values values;
};

/// Lowers a model.
/// \throws ModelError  which names the node
LoweredModel lowerModel(const Model &model, const Batches &batches, const Request &request,
                        const Placement &placement, ReplicaGraph &replica);

/// Returns the needs of each node. Lowers the model to a graph that is not compiled, because only
/// lowering finds all shapes.
std::vector<NodeCost> costsOf(const Model &model, const Batches &batches, const Request &request,
                              const poplar::Target &target);

} // namespace copse::onnx
