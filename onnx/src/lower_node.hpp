#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Adds the constants of a graph to \p values.
void addInitializers(const Graph &graph, Values &values);

/// Adds one node's work to \p prog, or computes the node on the host, and adds its outputs to \p
/// values.
/// \throws ModelError  which names the node, its operator and its opset, if the model is the cause
void lowerNode(const Node &node, Values &values, ReplicaGraph &replica, unsigned ipu,
               poplar::program::Sequence &prog);

} // namespace copse::onnx
