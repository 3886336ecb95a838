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

/// What stands behind Poplar's handles.
namespace copse::graph {

/// What a graph, its virtual graphs, and everything that was made with them share.
struct GraphState {
  Model model;
  poplar::Target target; ///< of one replica
  std::map<std::string, poplar::PerfEstimateFunc> estimators;
  std::vector<std::uint64_t> flops;     ///< setPerfEstimate, of vertices; the last may be missing
  std::set<std::string> codeletSources; ///< files and texts that were added
};

struct RearrangerState;

struct TensorState {
  TypedView value;
  std::shared_ptr<GraphState> graph;
  std::shared_ptr<const View> metadata; ///< of quarters, where it is known what they mean
  bool reachesBeyond = false; ///< there may be elements of kBeyondTheEnd; see Tensor::slices()
};

struct RemoteBufferState;

struct StreamState {
  StreamDef def;
  std::uint32_t index = 0; ///< into Model::streams
  unsigned replicas = 1;
  std::shared_ptr<GraphState> graph;
  const RemoteBufferState *rows = nullptr; ///< whose rows travel by it: it is a part of that state
};

struct RemoteBufferState {
  RemoteBufferDef def;
  std::uint32_t index = 0; ///< into Model::remoteBuffers
  bool rearrangeOnHost = false, optimiseMemory = false;
  std::shared_ptr<GraphState> graph;
  StreamState toDevice, toHost; ///< see StreamState::rows; no streams of the model
};

/// How libpoplar itself looks into Poplar's handles.
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
  /// Another view of what \p of is a view of.
  static poplar::Tensor viewed(const TensorState &of, View view);
  /// \throws poplar::poplar_error if \p t is not valid, or has elements beyond the end of what it
  /// is a slice of; \p user says who wanted it
  static const TensorState &state(const poplar::Tensor &t, std::string_view user);
  /// The same for users that look at no element: views, shapes, counts.
  /// \throws if it is not valid
  static const TensorState &anyState(const poplar::Tensor &t, std::string_view user);

  /// \returns true where state() does not throw; false says nothing
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
  /// One of the streams within a buffer's state, which it keeps alive.
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
  /// Index into Model::replications, or kNotReplicated.
  static std::uint32_t replication(const poplar::Graph &graph);
};

} // namespace copse::graph
