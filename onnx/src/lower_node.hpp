#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Adds the constants of a graph to \p values.
void addInitializers(const Graph &graph, Values &values);

/// Adds one node's work to \p prog, or computes the node on the host, and adds its outputs to \p values.
/// \throws ModelError, naming the node, its operator and its opset, if it is the model that is at fault
void lowerNode(const Node &node, Values &values, ReplicaGraph &replica, unsigned ipu,
               poplar::program::Sequence &prog);

} // namespace copse::onnx
