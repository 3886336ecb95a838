#pragma once

#include "batches.hpp"
#include "operator_context.hpp"

namespace copse::onnx {

/// A model in a graph: what a step runs, and where its values are.
struct LoweredModel {
  poplar::program::Sequence body;
  Values values;
};

/// \throws ModelError, naming the node
LoweredModel lowerModel(const Model &model, const Batches &batches, const Request &request,
                        ReplicaGraph &replica);

} // namespace copse::onnx
