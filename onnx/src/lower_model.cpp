#include "lower_model.hpp"

#include "lower_node.hpp"

#include <poplin/codelets.hpp>
#include <popnn/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

namespace copse::onnx {
namespace {

/// Returns the IPU of the first node that uses an input.
unsigned firstUser(const Model &model, const Placement &placement, const std::string &input) {
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    for (const auto *names : {&model.nodes[i].inputs, &model.nodes[i].captured})
      if (std::find(names->begin(), names->end(), input) != names->end())
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
    const HostTensor &given = request.inputs.at(input.name);
    if (given.shape == value.shape) // equal in all batches
      value.given = std::make_shared<GivenInput>(GivenInput{&given});
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
  addInitializers(model, lowered.values);
  addInputs(model, batches, request, placement, replica, lowered.values);
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    lowerNode(model.nodes[i], lowered.values, replica, placement[i], lowered.body);
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
