#pragma once

#include "batches.hpp"
#include "placement.hpp"

namespace copse::onnx {

/// A model in a graph: what a step runs, and where its values are.
struct LoweredModel {
  poplar::program::Sequence body;
  Values values;
};

/// \throws ModelError, naming the node
LoweredModel lowerModel(const Model &model, const Batches &batches, const Request &request,
                        const Placement &placement, ReplicaGraph &replica);

/// Needs of each node. Lowers the model to a graph that is not compiled, because only lowering knows all shapes.
std::vector<NodeCost> costsOf(const Model &model, const Batches &batches, const Request &request,
                              const poplar::Target &target);

} // namespace copse::onnx
