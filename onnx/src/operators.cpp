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
    return all;
  }();
  return table;
}

void checkOperators(const Model &model) {
  std::string missing;
  for (const Node &node : model.nodes)
    if ((!node.domain.empty() && node.domain != "ai.onnx") || operatorTable().count(node.op) == 0)
      missing +=
          "\n  " + node.describe() + (node.domain.empty() ? "" : " of domain " + node.domain);
  if (!missing.empty())
    throw ModelError("these nodes have operators that are not supported:" + missing);
}

} // namespace copse::onnx
