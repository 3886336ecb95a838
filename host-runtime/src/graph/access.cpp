#include "graph/access.hpp"

#include "graph/state.hpp"

#include "poplar/exceptions.hpp"

namespace copse::graph {

const TensorState &Access::state(const poplar::Tensor &t, const std::string &user) {
  if (!t.state_) {
    throw poplar::poplar_error(user + ": the tensor is not valid; it was default-constructed and " +
                               "never assigned to");
  }
  return *t.state_;
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
