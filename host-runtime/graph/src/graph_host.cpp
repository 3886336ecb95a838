#include "graph_impl.hpp"
#include "quarters.hpp"

#include "graph/access.hpp"
#include "graph/host_function.hpp"
#include "graph/metadata_handle.hpp"
#include "graph/replicas.hpp"
#include "graph/types.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "types/stream_options.hpp"

#include <algorithm>

namespace poplar {

using copse::graph::Access;
using copse::graph::Model;
using copse::graph::RemoteBufferState;
using copse::graph::StreamDef;
using copse::graph::StreamState;

DataStream::DataStream() = default;
std::string DataStream::handle() const { return Access::state(*this).def.handle; }
std::size_t DataStream::numElements() const { return Access::state(*this).def.elements; }
unsigned DataStream::replicationFactor() const { return Access::state(*this).replicas; }
ReplicatedStreamMode DataStream::replicatedMode() const {
  return Access::state(*this).def.broadcast ? ReplicatedStreamMode::BROADCAST
                                            : ReplicatedStreamMode::REPLICATE;
}
DataStreamType DataStream::type() const {
  const StreamState &state = Access::state(*this);
  if (state.rows != nullptr) {
    return state.def.toHost ? DataStreamType::DeviceToHostBuffer
                            : DataStreamType::HostToDeviceBuffer;
  }
  return state.def.toHost ? DataStreamType::DeviceToHostFIFO : DataStreamType::HostToDeviceFIFO;
}
Type DataStream::elementType() const {
  return copse::graph::poplarTypeOf(Access::state(*this).def.type);
}

RemoteBuffer::RemoteBuffer() = default;
std::string RemoteBuffer::handle() const { return Access::state(*this).def.handle; }
std::size_t RemoteBuffer::numElements() const { return Access::state(*this).def.elements; }
std::size_t RemoteBuffer::getRepeats() const { return Access::state(*this).def.repeats; }
Type RemoteBuffer::elementType() const {
  return copse::graph::poplarTypeOf(Access::state(*this).def.type);
}
bool RemoteBuffer::isRearrangeOnHost() const { return Access::state(*this).rearrangeOnHost; }
bool RemoteBuffer::isOptimisedForMemory() const { return Access::state(*this).optimiseMemory; }
DataStream RemoteBuffer::getHostToIpuStream() const {
  return Access::streamOf(*this, &RemoteBufferState::toDevice);
}
DataStream RemoteBuffer::getIpuToHostStream() const {
  return Access::streamOf(*this, &RemoteBufferState::toHost);
}

namespace {

template <typename Defs> bool hasHandle(const Defs &defs, const std::string &handle) {
  return std::any_of(defs.begin(), defs.end(),
                     [&](const auto &def) { return def.handle == handle; });
}

void addHostAccess(Model &model, StringRef handle, const Tensor &t, bool write) {
  const std::string who =
      (write ? "createHostWrite '" : "createHostRead '") + std::string(handle) + "'";
  const auto &state = Access::state(t, who);
  for (const auto &access : model.hostAccesses) {
    if (access.write == write && StringRef(access.handle) == handle) {
      throw poplar_error(who + ": there is a handle of this name already");
    }
  }
  if (write && t.containsConstant()) {
    throw poplar_error(who + ": the tensor contains constants, which cannot be written");
  }
  const auto add = [&](std::string name, bool writes, copse::graph::ElementType type,
                       const copse::graph::View &view) {
    const std::uint32_t replicas = replicasOf(model, view);
    model.hostAccesses.push_back({std::move(name), writes, type,
                                  replicas == 1 ? view : allInstances(model, view, replicas)});
  };
  add(handle, write, state.value.type, state.value.view);
  if (state.metadata)
    add(copse::graph::metadataHandle(handle, write),
        write && !copse::graph::constantMetadata(state), copse::graph::ElementType::QuarterMetadata,
        *state.metadata);
}

/// \param replicas   replicas of the graph to which the stream is added
/// \param instances  number of streams to add, consecutively
DataStream addStream(const std::shared_ptr<copse::graph::GraphState> &graph, StreamDef def,
                     const OptionFlags &options, unsigned replicas, unsigned instances) {
  Model &model = graph->model;
  if (hasHandle(model.streams, def.handle)) {
    throw stream_connection_error("stream '" + def.handle +
                                  "': the graph has a stream of this name already");
  }
  const auto parsed = copse::types::parseStreamOptions(options);
  def.bufferingDepth = parsed.bufferingDepth;
  def.splitLimit = parsed.splitLimit;
  auto state = std::make_shared<StreamState>();
  state->def = def;
  state->index = static_cast<std::uint32_t>(model.streams.size());
  state->replicas = replicas;
  state->graph = graph;
  model.streams.insert(model.streams.end(), def.broadcast ? 1 : instances, def);
  return Access::stream(std::move(state));
}

} // namespace

HostFunction Graph::addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                                    ArrayRef<HostFunctionArgument> outputs) {
  using namespace copse::graph;
  HostFunction function;
  function.handle_ = handle.cloneAsString();
  for (const HostFunctionArgument &input : inputs) {
    function.inputs_.push_back(addDeviceToHostFIFO(
        hostFunctionInput(handle, function.inputs_.size()), input.elementType, input.numElements));
  }
  for (const HostFunctionArgument &output : outputs) {
    function.outputs_.push_back(
        addHostToDeviceFIFO(hostFunctionOutput(handle, function.outputs_.size()),
                            output.elementType, output.numElements));
  }
  if (inputs.empty() && outputs.empty()) {
    function.inputs_.push_back(addDeviceToHostFIFO(hostFunctionCall(handle), UNSIGNED_INT, 0));
    function.nothing_.push_back(addVariable(UNSIGNED_INT, {0}));
  }
  return function;
}

void Graph::createHostWrite(StringRef handle, const Tensor &t, bool) {
  addHostAccess(impl().model(), handle, t, true);
}

void Graph::createHostRead(StringRef handle, const Tensor &t, bool) {
  addHostAccess(impl().model(), handle, t, false);
}

DataStream Graph::addHostToDeviceFIFO(StringRef handle, const Type &elementType,
                                      std::size_t numElements, ReplicatedStreamMode mode,
                                      const OptionFlags &options) {
  StreamDef def;
  def.handle = handle.cloneAsString();
  def.type = copse::graph::elementTypeOf(elementType);
  def.elements = numElements;
  def.broadcast = mode == ReplicatedStreamMode::BROADCAST;
  return addStream(impl().state, std::move(def), options, impl().replicas(), impl().instances());
}

DataStream Graph::addDeviceToHostFIFO(StringRef handle, const Type &elementType,
                                      std::size_t numElements, const OptionFlags &options) {
  StreamDef def;
  def.handle = handle.cloneAsString();
  def.type = copse::graph::elementTypeOf(elementType);
  def.elements = numElements;
  def.toHost = true;
  return addStream(impl().state, std::move(def), options, impl().replicas(), impl().instances());
}

RemoteBuffer Graph::addRemoteBuffer(StringRef handle, const Type &elementType,
                                    std::size_t numElements, std::size_t repeats,
                                    bool rearrangeOnHost, bool optimiseMemory) {
  Model &model = impl().model();
  if (hasHandle(model.remoteBuffers, handle)) {
    throw poplar_error("addRemoteBuffer '" + std::string(handle) +
                       "': the graph has a remote buffer of this name already");
  }
  auto state = std::make_shared<RemoteBufferState>();
  state->def = {handle, copse::graph::elementTypeOf(elementType), numElements, repeats};
  state->index = static_cast<std::uint32_t>(model.remoteBuffers.size());
  state->rearrangeOnHost = rearrangeOnHost;
  state->optimiseMemory = optimiseMemory;
  state->graph = impl().state;
  for (StreamState *stream : {&state->toDevice, &state->toHost}) {
    stream->def.handle = state->def.handle;
    stream->def.type = state->def.type;
    stream->def.elements = numElements;
    stream->def.toHost = stream == &state->toHost;
    stream->replicas = impl().replicas();
    stream->rows = state.get();
  }
  model.remoteBuffers.insert(model.remoteBuffers.end(), impl().instances(), state->def);
  return Access::remoteBuffer(std::move(state));
}

Function Graph::addFunction(const program::Program &program) {
  Model &model = impl().model();
  model.functions.push_back(copse::graph::nodeOf(program));
  return Access::function(static_cast<std::uint32_t>(model.functions.size() - 1), impl().state);
}

FunctionBuffer Graph::addFunctionBuffer(const Function &function, FunctionBufferMappingType) {
  if (!Access::valid(function) || Access::graphOf(function) != impl().state.get()) {
    throw control_program_error(Access::valid(function)
                                    ? "addFunctionBuffer: the Function belongs to another graph"
                                    : "addFunctionBuffer: the Function is empty; make it with "
                                      "Graph::addFunction");
  }
  return Access::functionBuffer(function);
}

} // namespace poplar
