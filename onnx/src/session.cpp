#include "session.hpp"

#include "compiled_model.hpp"
#include "errors.hpp"
#include "kept_models.hpp"
#include "operator_context.hpp"
#include "operators.hpp"
#include "rows.hpp"

#include <chrono>
#include <list>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
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

CompiledModel compiled(const Model &model, const Request &request, const Batches &batches,
                       const poplar::Target &target) {
  const KeptModels kept(model, request, batches, target);
  if (auto found = kept.find())
    return std::move(*found);
  CompiledModel compiled = compileModel(model, request, batches, target);
  kept.keep(compiled);
  return compiled;
}

/// A stream with the rows of all batches.
struct Rows {
  Port port;
  std::vector<char> bytes;
};

class Session {
public:
  Session(const Model &model, const Request &request)
      : model_(model), request_(request), batches_(cutIntoBatches(model, request)),
        device_(openDevice(request)),
        compiled_(compiled(model, request, batches_, device_.getTarget())) {
    for (const Port &port : compiled_.in) {
      requireDeviceRange(request.inputs.at(port.name), "input '" + port.name + "'");
      in_.push_back({port, deviceBytes(request.inputs.at(port.name), device_.getTarget())});
    }
    for (const Port &port : compiled_.out)
      out_.push_back({port, std::vector<char>(port.rowBytes * batches_.count)});
  }

  Outcome run() {
    poplar::Engine engine(std::move(compiled_.executable), engineOptions(request_));
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
  void connect(poplar::Engine &engine) {
    for (unsigned replica = 0; replica < request_.replicas; ++replica) {
      for (const Rows &rows : in_)
        engine.connectStreamToCallback(
            rows.port.inputHandle(), replica,
            rowReader(rows.bytes, rows.port.rowBytes, replica, request_.replicas));
      for (Rows &rows : out_)
        engine.connectStreamToCallback(
            rows.port.outputHandle(), replica,
            rowWriter(rows.bytes, rows.port.rowBytes, replica, request_.replicas));
    }
  }

  Outcome outcome(poplar::Engine &engine) {
    Outcome result;
    result.steps = batches_.steps;
    result.batches = batches_.count;
    requireNoOverflow(engine);
    result.clock = device_.getTarget().getTileClockFrequency();
    result.stepCycles = slowest(engine, kStepCycles);
    result.cycles = slowest(engine, kAllCycles);
    for (const std::string &name : model_.outputs)
      result.outputs[name] = outputOf(name);
    if (request_.profile) {
      std::ostringstream text;
      engine.printProfileSummary(text);
      result.profile = text.str();
    }
    return result;
  }

  void requireNoOverflow(poplar::Engine &engine) const {
    const auto &nodes = compiled_.checkedNodes;
    std::vector<char> flags(nodes.size() * request_.replicas);
    if (!flags.empty())
      engine.readTensor(kOverflows, flags.data(), flags.data() + flags.size());
    const auto set = std::find_if(flags.begin(), flags.end(), [](char flag) { return flag != 0; });
    if (set != flags.end())
      throw ModelError(nodes[static_cast<std::size_t>(set - flags.begin()) % nodes.size()] +
                       ": a result does not fit into the 32 bits that integers have on the device");
  }

  std::uint64_t slowest(poplar::Engine &engine, const char *handle) const {
    std::vector<std::uint64_t> cycles(request_.replicas);
    engine.readTensor(handle, cycles.data(), cycles.data() + cycles.size());
    return *std::max_element(cycles.begin(), cycles.end());
  }

  /// Returns an output, in which batches follow each other along the first dimension. A scalar of
  /// several batches becomes a vector.
  HostTensor outputOf(const std::string &name) const {
    if (const auto constant = compiled_.constants.find(name); constant != compiled_.constants.end())
      return constant->second;
    for (const Rows &rows : out_)
      if (rows.port.name == name) {
        Shape shape = rows.port.batch;
        if (batches_.count > 1 && shape.empty())
          shape.push_back(1);
        if (batches_.count > 1)
          shape[0] *= batches_.count;
        return hostTensor(rows.bytes, rows.port.type, shape, device_.getTarget());
      }
    throw ModelError("output '" + name + "' has no stream");
  }

  const Model &model_;
  const Request &request_;
  Batches batches_;
  poplar::Device device_;
  CompiledModel compiled_;
  std::list<Rows> in_, out_; // callbacks refer to their bytes
};

} // namespace

Outcome runModel(const Model &model, const Request &request) {
  checkOperators(model);
  return Session(model, request).run();
}

} // namespace copse::onnx
