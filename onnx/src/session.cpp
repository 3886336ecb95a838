#include "session.hpp"

#include "errors.hpp"
#include "lower_model.hpp"
#include "operators.hpp"
#include "rows.hpp"

#include <chrono>
#include <list>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>

namespace copse::onnx {
namespace {

using namespace poplar::program;

poplar::Device openDevice(const Request &request) {
  const unsigned ipus = request.replicas * request.ipusPerReplica;
  if (request.device == "cpu")
    return poplar::Device::createCPUDevice(ipus);
  if (request.device == "ipumodel") {
    poplar::IPUModel description;
    description.numIPUs = ipus;
    if (request.tilesPerIpu > 0)
      description.tilesPerIPU = request.tilesPerIpu;
    return description.createDevice();
  }
  for (poplar::Device &device : poplar::DeviceManager().getDevices(poplar::TargetType::IPU, ipus))
    if (device.attach())
      return std::move(device);
  throw ModelError("no device of " + std::to_string(ipus) + " IPUs is free");
}

/// A stream of an input or an output, with the rows of all batches.
struct Port {
  std::string handle;
  ElementType type = ElementType::Float;
  Shape batch;
  std::size_t rowBytes = 0;
  std::vector<char> rows;
};

class Session {
public:
  Session(const Model &model, const Request &request)
      : model_(model), request_(request), batches_(cutIntoBatches(model, request)),
        device_(openDevice(request)),
        replica_(device_.getTarget(), request.replicas, request.ipusPerReplica),
        lowered_(lowerModel(model, batches_, request, placement(), replica_)) {}

  Outcome run() {
    Sequence step = transfersIn();
    const poplar::Tensor stepCycles = cycleCount(replica_.graph, lowered_.body, 0, sync(), "step");
    step.add(lowered_.body);
    addTransfersOut(step);
    Sequence all{Repeat(static_cast<unsigned>(batches_.steps), step)};
    const poplar::Tensor cycles = cycleCount(replica_.graph, all, 0, sync(), "all");
    replica_.graph.createHostRead("stepCycles", stepCycles);
    replica_.graph.createHostRead("cycles", cycles);
    poplar::Engine engine = compiled(all);
    connect(engine);
    engine.load(device_);
    const auto start = std::chrono::steady_clock::now();
    engine.run();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    Outcome result = outcome(engine);
    result.runSeconds = elapsed.count();
    return result;
  }

private:
  /// \returns all on IPU 0 if the replica has no other
  Placement placement() const {
    if (request_.ipusPerReplica == 1)
      return Placement(model_.nodes.size(), 0);
    const auto costs = costsOf(model_, batches_, request_, device_.getTarget());
    Placement result = placeNodes(costs, request_.ipusPerReplica, memory());
    if (fullest(costs, result) > memory())
      refuse(costs, "");
    return result;
  }

  poplar::Engine compiled(const Sequence &program) const {
    try {
      return {replica_.graph,
              program,
              {{"exchange.enablePrefetch", "true"},
               {"exchange.streamBufferOverlap", "none"},
               {"debug.instrument", request_.profile ? "true" : "false"}}};
    } catch (const poplar::graph_memory_allocation_error &error) {
      refuse(costsOf(model_, batches_, request_, device_.getTarget()), error.what());
    }
  }

  /// Of one IPU [bytes].
  std::uint64_t memory() const {
    const poplar::Target &target = device_.getTarget();
    return std::uint64_t{target.getBytesPerTile()} * target.getTilesPerIPU();
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
  std::size_t count() const { return batches_.steps * request_.replicas; }

  Sequence transfersIn() {
    Sequence step;
    for (const ModelInput &input : model_.inputs) {
      const poplar::Tensor tensor = lowered_.values.at(input.name).onIpus.begin()->second;
      if (tensor.numElements() == 0)
        continue;
      Port port = portOf("in:" + input.name, input.type, tensor);
      port.rows = deviceBytes(request_.inputs.at(input.name), device_.getTarget());
      step.add(Copy(replica_.graph.addHostToDeviceFIFO(port.handle, tensor.elementType(),
                                                       tensor.numElements()),
                    tensor));
      in_.push_back(std::move(port));
    }
    return step;
  }

  void addTransfersOut(Sequence &step) {
    for (const std::string &name : model_.outputs) {
      const auto found = lowered_.values.find(name);
      if (found == lowered_.values.end())
        throw ModelError("output '" + name + "' is made by no node");
      if (found->second.constant || elementsOf(found->second.shape) == 0)
        continue;
      const poplar::Tensor tensor = found->second.onIpus.begin()->second;
      Port port = portOf("out:" + name, found->second.type, tensor);
      port.rows.resize(port.rowBytes * count());
      step.add(Copy(tensor, replica_.graph.addDeviceToHostFIFO(port.handle, tensor.elementType(),
                                                               tensor.numElements())));
      out_.push_back(std::move(port));
    }
  }

  Port portOf(const std::string &handle, ElementType type, const poplar::Tensor &tensor) const {
    return {handle,
            type,
            tensor.shape(),
            tensor.numElements() * device_.getTarget().getTypeSize(tensor.elementType()),
            {}};
  }

  void connect(poplar::Engine &engine) {
    for (unsigned replica = 0; replica < request_.replicas; ++replica) {
      for (const Port &port : in_)
        engine.connectStreamToCallback(
            port.handle, replica, rowReader(port.rows, port.rowBytes, replica, request_.replicas));
      for (Port &port : out_)
        engine.connectStreamToCallback(
            port.handle, replica, rowWriter(port.rows, port.rowBytes, replica, request_.replicas));
    }
  }

  Outcome outcome(poplar::Engine &engine) {
    Outcome result;
    result.steps = batches_.steps;
    result.clock = device_.getTarget().getTileClockFrequency();
    result.stepCycles = slowest(engine, "stepCycles");
    result.cycles = slowest(engine, "cycles");
    for (const std::string &name : model_.outputs)
      result.outputs[name] = outputOf(name);
    if (request_.profile) {
      std::ostringstream text;
      engine.printProfileSummary(text);
      result.profile = text.str();
    }
    return result;
  }

  std::uint64_t slowest(poplar::Engine &engine, const char *handle) const {
    std::vector<std::uint64_t> cycles(request_.replicas);
    engine.readTensor(handle, cycles.data(), cycles.data() + cycles.size());
    return *std::max_element(cycles.begin(), cycles.end());
  }

  /// Batches follow each other along the first dimension. A scalar of several batches becomes a vector.
  HostTensor outputOf(const std::string &name) const {
    const Value &value = lowered_.values.at(name);
    if (value.constant)
      return *value.constant;
    if (elementsOf(value.shape) == 0)
      return makeTensor(value.type, value.shape);
    for (const Port &port : out_)
      if (port.handle == "out:" + name) {
        Shape shape = port.batch;
        if (count() > 1 && shape.empty())
          shape.push_back(1);
        if (count() > 1)
          shape[0] *= count();
        return hostTensor(port.rows, port.type, shape, device_.getTarget());
      }
    throw ModelError("output '" + name + "' has no stream");
  }

  const Model &model_;
  const Request &request_;
  Batches batches_;
  poplar::Device device_;
  ReplicaGraph replica_;
  LoweredModel lowered_;
  std::list<Port> in_, out_; // callbacks refer to their rows
};

} // namespace

Outcome runModel(const Model &model, const Request &request) {
  checkOperators(model);
  return Session(model, request).run();
}

} // namespace copse::onnx
