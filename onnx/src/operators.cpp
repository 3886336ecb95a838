#include "operators.hpp"

namespace copse::onnx {

const OperatorTable &operatorTable() {
  static const OperatorTable table = [] {
    OperatorTable all;
    addElementwiseOperators(all);
    addActivations(all);
    addMatrixOperators(all);
    addConvolutions(all);
    addPooling(all);
    addNorms(all);
    addReductions(all);
    addShapeOperators(all);
    addConstants(all);
    addGathers(all);
    addLosses(all);
    addResizing(all);
    addRankings(all);
    addScans(all);
    addEinsum(all);
    addRecurrentLayers(all);
    addQuantization(all);
    addQuantizedProducts(all);
    addControlFlow(all);
    addSelections(all);
    return all;
  }();
  return table;
}

namespace {

/// Returns one line for each node, including nodes of inner graphs, whose operator is missing.
std::string missingIn(const Graph &graph) {
  std::string missing;
  for (const Node &node : graph.nodes) {
    if ((!node.domain.empty() && node.domain != "ai.onnx") || operatorTable().count(node.op) == 0)
      missing +=
          "\n  " + node.describe() + (node.domain.empty() ? "" : " of domain " + node.domain);
    for (const auto &[name, attribute] : node.attributes)
      if (const auto *inner = std::get_if<std::shared_ptr<const Graph>>(&attribute))
        missing += missingIn(**inner);
  }
  return missing;
}

} // namespace

void checkOperators(const Model &model) {
  const std::string missing = missingIn(model);
  if (!missing.empty())
    throw ModelError("these nodes have operators that are not supported:" + missing);
}

} // namespace copse::onnx
