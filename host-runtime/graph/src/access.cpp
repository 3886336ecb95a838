#include "graph/access.hpp"

#include "graph/state.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>

namespace copse::graph {

namespace {

[[noreturn]] void throwBeyondTheEnd(const View &view, std::string_view user) {
  const std::vector<Run> runs = view.elementRuns();
  std::uint64_t beyond = 0;
  for (const Run &run : runs) {
    beyond += run.variable == kBeyondTheEnd ? run.count : 0;
  }
  throw poplar::poplar_error(
      std::string(user) + ": " + std::to_string(beyond) + " of the tensor's " +
      std::to_string(view.numElements()) +
      " elements lie beyond the end of the tensor that Tensor::slices() took " +
      "them from; give it intervals inside that tensor");
}

bool hasBeyondTheEnd(const View &view) {
  const std::vector<Run> runs = view.elementRuns();
  return std::any_of(runs.begin(), runs.end(),
                     [](const Run &run) { return run.variable == kBeyondTheEnd; });
}

} // namespace

poplar::Tensor Access::viewed(const TensorState &of, View view) {
  poplar::Tensor t;
  t.state_ = std::make_shared<const TensorState>(
      TensorState{{of.value.type, std::move(view)}, of.graph, of.metadata, of.reachesBeyond});
  return t;
}

const TensorState &Access::anyState(const poplar::Tensor &t, std::string_view user) {
  if (!t.state_) {
    throw poplar::poplar_error(std::string(user) +
                               ": the tensor is not valid; it was default-constructed and " +
                               "never assigned to");
  }
  return *t.state_;
}

const TensorState &Access::state(const poplar::Tensor &t, std::string_view user) {
  const TensorState &state = anyState(t, user);
  if (state.reachesBeyond && hasBeyondTheEnd(state.value.view)) {
    throwBeyondTheEnd(state.value.view, user);
  }
  return state;
}

const StreamState &Access::state(const poplar::DataStream &stream) {
  if (!stream.state_) {
    throw poplar::poplar_error("the DataStream is empty; make it with addHostToDeviceFIFO or "
                               "addDeviceToHostFIFO");
  }
  return *stream.state_;
}

const RemoteBufferState &Access::state(const poplar::RemoteBuffer &buffer) {
  if (!buffer.state_) {
    throw poplar::poplar_error("the RemoteBuffer is empty; make it with addRemoteBuffer");
  }
  return *buffer.state_;
}

std::shared_ptr<const Model> modelOf(const poplar::Graph &graph) {
  const std::shared_ptr<GraphState> &state = Access::state(graph);
  return {state, &state->model};
}

ProgramPtr nodeOf(const poplar::program::Program &program) {
  if (const auto &node = Access::node(program)) {
    return node;
  }
  return std::make_shared<const ProgramNode>();
}

TypedView typedView(const poplar::Tensor &tensor) {
  return Access::state(tensor, "typedView").value;
}

const poplar::Target &targetOf(const poplar::Graph &graph) { return Access::state(graph)->target; }

} // namespace copse::graph
