#include "compiled_model.hpp"
#include "errors.hpp"
#include "joined_nodes.hpp"
#include "lower_model.hpp"

#include <poplar/CycleCount.hpp>
#include <poplar/exceptions.hpp>

namespace copse::onnx {
namespace {

using namespace poplar::program;

class Compilation {
public:
  Compilation(const Model &model, const Request &request, const Batches &batches,
              const poplar::Target &target)
      : model_(model), request_(request), batches_(batches), target_(target),
        replica_(target, request.replicas, request.ipusPerReplica),
        lowered_(lowerModel(model, batches_, request, placement(), replica_)) {}

  CompiledModel compile() {
    Sequence step = transfersIn();
    const poplar::Tensor stepCycles = cycleCount(replica_.graph, lowered_.body, 0, sync(), "step");
    step.add(lowered_.body);
    addTransfersOut(step);
    Sequence all{Repeat(static_cast<unsigned>(batches_.steps), step)};
    const poplar::Tensor cycles = cycleCount(replica_.graph, all, 0, sync(), "all");
    replica_.graph.createHostRead(kStepCycles, stepCycles);
    replica_.graph.createHostRead(kAllCycles, cycles);
    addOverflowFlags();
    compiled_.executable = compiled(all);
    return std::move(compiled_);
  }

private:
  /// \returns IPU 0 for all nodes if the replica has no other
  Placement placement() const {
    if (request_.ipusPerReplica == 1)
      return Placement(model_.nodes.size(), 0);
    const auto costs = costsOf(model_, batches_, request_, target_);
    Placement result = placeNodes(costs, request_.ipusPerReplica, memory());
    if (fullest(costs, result) > memory())
      refuse(costs, "");
    return result;
  }

  poplar::Executable compiled(const Sequence &program) const {
    try {
      return poplar::compileGraph(replica_.graph, {program}, engineOptions(request_));
    } catch (const poplar::graph_memory_allocation_error &error) {
      refuse(costsOf(model_, batches_, request_, target_), error.what());
    }
  }

  /// Returns the memory of one IPU [bytes].
  std::uint64_t memory() const {
    return std::uint64_t{target_.getBytesPerTile()} * target_.getTilesPerIPU();
  }

  [[noreturn]] void refuse(const std::vector<NodeCost> &costs, const std::string &reason) const {
    const auto needed = ipusNeeded(costs, memory(), request_.ipusPerReplica + 1);
    throw ModelError("the model does not fit on " + std::to_string(request_.ipusPerReplica) +
                     " IPUs per replica; " +
                     (needed ? "by an estimate it needs " + std::to_string(*needed) +
                                   ": give --ipus-per-replica " + std::to_string(*needed)
                             : "a single node is too large for an IPU") +
                     (reason.empty() ? "" : " (" + reason + ")"));
  }

  poplar::SyncType sync() const {
    return request_.ipusPerReplica > 1 ? poplar::SyncType::EXTERNAL : poplar::SyncType::INTERNAL;
  }

  Sequence transfersIn() {
    Sequence step;
    for (const ModelInput &input : model_.inputs) {
      const Value &value = lowered_.values.at(input.name);
      if (value.given && value.given->shapesProgram)
        compiled_.shapedBy.insert(input.name);
      const poplar::Tensor tensor = value.onIpus.begin()->second;
      if (!isStreamed(value))
        continue;
      const Port port = portOf(input.name, input.type, tensor);
      step.add(Copy(replica_.graph.addHostToDeviceFIFO(port.inputHandle(), tensor.elementType(),
                                                       tensor.numElements()),
                    tensor));
      compiled_.in.push_back(port);
    }
    return step;
  }

  void addTransfersOut(Sequence &step) {
    for (const std::string &name : model_.outputs) {
      const auto found = lowered_.values.find(name);
      if (found == lowered_.values.end())
        throw ModelError("output '" + name + "' is made by no node");
      const Value &value = found->second;
      if (value.constant || elementsOf(value.shape) == 0) {
        compiled_.constants[name] =
            value.constant ? *value.constant : makeTensor(value.type, value.shape);
        continue;
      }
      const poplar::Tensor tensor = value.onIpus.begin()->second;
      const Port port = portOf(name, value.type, tensor);
      step.add(Copy(tensor, replica_.graph.addDeviceToHostFIFO(
                                port.outputHandle(), tensor.elementType(), tensor.numElements())));
      compiled_.out.push_back(port);
    }
  }

  void addOverflowFlags() {
    std::vector<poplar::Tensor> flags;
    for (const OverflowFlag &overflow : replica_.overflows) {
      flags.push_back(overflow.flag.expand({0}));
      compiled_.checkedNodes.push_back(overflow.node);
    }
    if (!flags.empty())
      replica_.graph.createHostRead(kOverflows, poplar::concat(flags));
  }

  /// Returns true if an input needs a stream. An input that no node computes with, such as a shape
  /// that was read during lowering, needs no stream.
  bool isStreamed(const Value &value) const {
    const auto isOutput =
        [&](const std::string &output) { // possibly through a loop without iterations
          const auto found = lowered_.values.find(output);
          return found != lowered_.values.end() && found->second.given == value.given;
        };
    return elementsOf(value.shape) > 0 &&
           (!value.given || value.given->isComputedWith ||
            std::any_of(model_.outputs.begin(), model_.outputs.end(), isOutput));
  }

  Port portOf(const std::string &name, ElementType type, const poplar::Tensor &tensor) const {
    return {name, type, tensor.shape(),
            tensor.numElements() * target_.getTypeSize(tensor.elementType())};
  }

  const Model &model_;
  const Request &request_;
  const Batches &batches_;
  const poplar::Target &target_;
  ReplicaGraph replica_;
  LoweredModel lowered_;
  CompiledModel compiled_;
};

} // namespace

poplar::OptionFlags engineOptions(const Request &request) {
  return {{"copse.executableCache", "off"}, // KeptModels keeps compiled models
          {"exchange.enablePrefetch", "true"},
          {"exchange.streamBufferOverlap", "none"},
          {"debug.instrument", request.profile ? "true" : "false"}};
}

CompiledModel compileModel(const Model &model, const Request &request, const Batches &batches,
                           const poplar::Target &target) {
  const Model joined = withJoinedNodes(model);
  return Compilation(joined, request, batches, target).compile();
}

} // namespace copse::onnx
