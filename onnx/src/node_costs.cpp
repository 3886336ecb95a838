#include "node_costs.hpp"

#include <set>

namespace copse::onnx {
namespace {

/// The number of elements per cycle that a tile's workers process in a loop of a load, an operation
/// and a store.
constexpr double kElementsPerCycle = 0.5;

const Value *find(const Values &values, const std::string &name) {
  const auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

std::uint64_t bytesOf(const Value &value, const poplar::Target &target) {
  return elementsOf(value.shape) * target.getTypeSize(deviceType(value.type));
}

/// Returns the number of multiplications of a matrix product or convolution, and 0 for other nodes.
double multiplications(const Node &node, const Values &values) {
  const Value *const left = node.inputs.empty() ? nullptr : find(values, node.inputs[0]),
                     *const right = node.inputs.size() < 2 ? nullptr : find(values, node.inputs[1]),
                     *const out = node.outputs.empty() ? nullptr : find(values, node.outputs[0]);
  if (left == nullptr || right == nullptr || out == nullptr || elementsOf(out->shape) == 0)
    return 0;
  const auto outputs = static_cast<double>(elementsOf(out->shape)),
             weights = static_cast<double>(elementsOf(right->shape));
  if (node.op ==
      "Conv") // weights are [output channels][...], outputs [batch][output channels][...]
    return outputs * weights / static_cast<double>(out->shape[1]);
  if (node.op == "ConvTranspose") // weights are [input channels][...]
    return static_cast<double>(elementsOf(left->shape)) * weights /
           static_cast<double>(left->shape[1]);
  if (node.op == "MatMul")
    return outputs * static_cast<double>(left->shape.back());
  if (node.op == "Gemm")
    return outputs * weights / static_cast<double>(out->shape.back());
  return 0;
}

} // namespace

std::vector<NodeCost> nodeCosts(const Model &model, const Values &values,
                                const poplar::Target &target, unsigned tiles) {
  const double units = std::max(1u, target.getFp32InFp32OutConvUnitsPerTile());
  std::vector<NodeCost> costs;
  std::set<std::string> placed;
  for (const Node &node : model.nodes) {
    NodeCost cost;
    std::uint64_t elements = 0;
    const auto count = [&](const std::string &name, bool output) {
      const Value *value = find(values, name);
      if (value == nullptr || (output && value->constant))
        return;
      if (!value->constant) {
        cost.workingBytes += bytesOf(*value, target);
        elements += elementsOf(value->shape);
      } else if (placed.insert(name).second) {
        cost.weightBytes += bytesOf(*value, target);
      }
    };
    for (const std::string &output : node.outputs)
      count(output, true);
    if (elements > 0) { // otherwise the host has computed all outputs
      for (const auto *names : {&node.inputs, &node.captured})
        for (const std::string &name : *names)
          count(name, false);
      cost.cycles = (static_cast<double>(elements) / kElementsPerCycle +
                     multiplications(node, values) / units) /
                    tiles;
    }
    costs.push_back(cost);
  }
  return costs;
}

} // namespace copse::onnx
