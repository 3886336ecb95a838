#pragma once

#include "graph/model.hpp"
#include "poplar/DataStream.hpp"
#include "poplar/Graph.hpp"
#include "poplar/PerfEstimateFunc.hpp"
#include "poplar/Program.hpp"
#include "poplar/RemoteBuffer.hpp"
#include "poplar/Target.hpp"
#include "poplar/Tensor.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// The state behind Poplar's handles.
namespace copse::graph {

/// The state that a graph, its virtual graphs, and all objects made with them share.
struct GraphState {
  Model model;
  poplar::Target target; ///< target of one replica
  std::map<std::string, poplar::PerfEstimateFunc> estimators;
  std::vector<std::uint64_t> flops;     ///< setPerfEstimate, by vertex; may be too short
  std::set<std::string> codeletSources; ///< files and texts that were added
};

struct RearrangerState;

/// The state of a poplar::Tensor: a view of variables, and the graph that has these. Immutable, so
/// tensors share it.
struct TensorState {
  TypedView value;
  std::shared_ptr<GraphState> graph;
  std::shared_ptr<const View> metadata; ///< metadata of quarters, if known
  bool reachesBeyond = false; ///< it may have elements of kBeyondTheEnd; see Tensor::slices()
};

struct RemoteBufferState;

/// The state of a poplar::DataStream. Immutable.
struct StreamState {
  StreamDef def;
  std::uint32_t index = 0; ///< index into Model::streams
  unsigned replicas = 1;
  std::shared_ptr<GraphState> graph;
  const RemoteBufferState *rows = nullptr; ///< set if the stream is a part of that buffer's state
};

/// The state of a poplar::RemoteBuffer. Immutable.
struct RemoteBufferState {
  RemoteBufferDef def;
  std::uint32_t index = 0; ///< index into Model::remoteBuffers
  bool rearrangeOnHost = false, optimiseMemory = false;
  std::shared_ptr<GraphState> graph;
  StreamState toDevice, toHost; ///< see StreamState::rows; not in the model
};

/// Gives libpoplar access to the state of Poplar's handles.
struct Access {
  /// \param metadata  kept if the elements are quarters
  static poplar::Tensor tensor(std::shared_ptr<GraphState> graph, TypedView value,
                               std::shared_ptr<const View> metadata = nullptr) {
    if (value.type != ElementType::Quarter) {
      metadata = nullptr;
    }
    poplar::Tensor t;
    t.state_ = std::make_shared<const TensorState>(
        TensorState{std::move(value), std::move(graph), std::move(metadata)});
    return t;
  }
  /// Returns another view of the elements of \p of.
  static poplar::Tensor viewed(const TensorState &of, View view);
  /// \param user  the function that uses the elements, for messages
  /// \throws poplar::poplar_error if \p t is not valid, or has elements beyond the end of the
  ///   tensor that it is a slice of
  static const TensorState &state(const poplar::Tensor &t, std::string_view user);
  /// Returns the state for functions that use no elements: views, shapes, counts.
  /// \throws poplar::poplar_error if \p t is not valid
  static const TensorState &anyState(const poplar::Tensor &t, std::string_view user);

  /// \returns true if state() certainly does not throw; false is no information
  static bool plainlyUsable(const poplar::Tensor &t) {
    return t.state_ && !t.state_->reachesBeyond;
  }

  static poplar::VertexRef vertex(std::uint32_t id) { return poplar::VertexRef(id); }
  static const std::string &name(const poplar::FieldRef &field) { return field.name_; }

  static poplar::DataStream stream(std::shared_ptr<const StreamState> state) {
    poplar::DataStream s;
    s.state_ = std::move(state);
    return s;
  }
  static const StreamState &state(const poplar::DataStream &stream);
  static poplar::RemoteBuffer remoteBuffer(std::shared_ptr<const RemoteBufferState> state) {
    poplar::RemoteBuffer b;
    b.state_ = std::move(state);
    return b;
  }
  static const RemoteBufferState &state(const poplar::RemoteBuffer &buffer);
  /// Returns one of the streams in a buffer's state, which it keeps alive.
  static poplar::DataStream streamOf(const poplar::RemoteBuffer &buffer,
                                     StreamState RemoteBufferState::*direction) {
    return stream({buffer.state_, &(state(buffer).*direction)});
  }

  static poplar::TensorRearranger rearranger(std::shared_ptr<const RearrangerState> state) {
    poplar::TensorRearranger r;
    r.state_ = std::move(state);
    return r;
  }
  static const RearrangerState &state(const poplar::TensorRearranger &rearranger);

  static poplar::FunctionBuffer functionBuffer(poplar::Function function) {
    return poplar::FunctionBuffer(std::move(function));
  }
  static const poplar::Function &function(const poplar::FunctionBuffer &buffer) {
    return buffer.function_;
  }
  static const void *graphOf(const poplar::Function &function) { return function.graph_.get(); }

  static poplar::Function function(std::uint32_t id, std::shared_ptr<const GraphState> graph) {
    return poplar::Function(id, std::move(graph));
  }
  static std::uint32_t id(const poplar::Function &function) { return function.id_; }
  static bool valid(const poplar::Function &function) { return function.graph_ != nullptr; }

  static const std::shared_ptr<ProgramNode> &node(const poplar::program::Program &program) {
    return program.node_;
  }
  static std::shared_ptr<ProgramNode> &node(poplar::program::Program &program) {
    return program.node_;
  }

  /// \throws poplar::poplar_error for an empty Graph
  static const std::shared_ptr<GraphState> &state(const poplar::Graph &graph);
  /// Returns an index into Model::replications, or kNotReplicated.
  static std::uint32_t replication(const poplar::Graph &graph);
};

} // namespace copse::graph
