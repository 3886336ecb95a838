#include "lower_model.hpp"

#include "folding.hpp"
#include "operators.hpp"

#include <poplin/codelets.hpp>
#include <popnn/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

namespace copse::onnx {
namespace {

/// The IPU of the first node that uses an input.
unsigned firstUser(const Model &model, const Placement &placement, const std::string &input) {
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const auto &names = model.nodes[i].inputs;
    if (std::find(names.begin(), names.end(), input) != names.end())
      return placement[i];
  }
  return 0;
}

void addInputs(const Model &model, const Batches &batches, const Request &request,
               const Placement &placement, ReplicaGraph &replica, Values &values) {
  for (const ModelInput &input : model.inputs) {
    Value &value = values[input.name];
    value.type = input.type;
    value.shape = batches.shapes.at(input.name);
    if (request.inputs.at(input.name).shape == value.shape) // the same in all batches
      value.given = &request.inputs.at(input.name);
    const unsigned ipu = firstUser(model, placement, input.name);
    poplar::Graph &graph = replica.ipus[ipu];
    const poplar::Tensor tensor =
        graph.addVariable(deviceType(input.type), value.shape, input.name);
    poputil::mapTensorLinearly(graph, tensor);
    value.onIpus.emplace(ipu, tensor);
  }
}

} // namespace

LoweredModel lowerModel(const Model &model, const Batches &batches, const Request &request,
                        const Placement &placement, ReplicaGraph &replica) {
  popops::addCodelets(replica.graph);
  poplin::addCodelets(replica.graph);
  popnn::addCodelets(replica.graph);
  LoweredModel lowered;
  for (const auto &[name, tensor] : model.initializers)
    lowered.values[name] = Value{tensor->type, tensor->shape, tensor, nullptr, false, {}};
  addInputs(model, batches, request, placement, replica, lowered.values);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const Node &node = model.nodes[i];
    OperatorContext context(node, model.opset, lowered.values, replica, placement[i], lowered.body);
    try {
      if (!fold(context))
        operatorTable().at(node.op)(context);
    } catch (const std::exception &error) {
      if (std::string(error.what()).find(node.describe()) != std::string::npos)
        throw;
      // The host's own faults, and those of PopLibs and Poplar, name no node.
      context.fail(error.what());
    }
  }
  return lowered;
}

std::vector<NodeCost> costsOf(const Model &model, const Batches &batches, const Request &request,
                              const poplar::Target &target) {
  ReplicaGraph scratch(target, request.replicas, request.ipusPerReplica);
  const LoweredModel lowered =
      lowerModel(model, batches, request, Placement(model.nodes.size(), 0), scratch);
  return nodeCosts(model, lowered.values, target, target.getTilesPerIPU());
}

} // namespace copse::onnx
