#include "lower_model.hpp"

#include "operators.hpp"

#include <poplin/codelets.hpp>
#include <popnn/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

namespace copse::onnx {
namespace {

void addInputs(const Model &model, const Batches &batches, const Request &request,
               ReplicaGraph &replica, Values &values) {
  for (const ModelInput &input : model.inputs) {
    Value &value = values[input.name];
    value.type = input.type;
    value.shape = batches.shapes.at(input.name);
    value.given = &request.inputs.at(input.name);
    const poplar::Tensor tensor =
        replica.ipus.front().addVariable(deviceType(input.type), value.shape, input.name);
    poputil::mapTensorLinearly(replica.ipus.front(), tensor);
    value.onIpus.emplace(0, tensor);
  }
}

} // namespace

LoweredModel lowerModel(const Model &model, const Batches &batches, const Request &request,
                        ReplicaGraph &replica) {
  popops::addCodelets(replica.graph);
  poplin::addCodelets(replica.graph);
  popnn::addCodelets(replica.graph);
  LoweredModel lowered;
  for (const auto &[name, tensor] : model.initializers)
    lowered.values[name] = Value{tensor.type, tensor.shape, tensor, nullptr, {}};
  addInputs(model, batches, request, replica, lowered.values);
  for (const Node &node : model.nodes) {
    OperatorContext context(node, model.opset, lowered.values, replica, 0, lowered.body);
    try {
      operatorTable().at(node.op)(context);
    } catch (const ModelError &) {
      throw;
    } catch (const std::exception &error) { // PopLibs' and Poplar's own, which name no node
      context.fail(error.what());
    }
  }
  return lowered;
}

} // namespace copse::onnx
