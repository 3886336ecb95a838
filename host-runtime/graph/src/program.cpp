#include "poplar/Program.hpp"

#include "program_checks.hpp"
#include "quarters.hpp"

#include "graph/replicas.hpp"
#include "graph/types.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>

namespace poplar {
namespace program {

using copse::graph::Access;
using copse::graph::checkCopy;
using copse::graph::checkedScalar;
using copse::graph::newNode;
using copse::graph::ProgramNode;
using copse::graph::programText;
using copse::graph::RemoteBufferState;
using copse::graph::TypedView;
using Kind = ProgramNode::Kind;

Program::Program() = default;

bool Program::isEmpty() const {
  return !node_ ||
         (node_->kind == Kind::Sequence &&
          std::all_of(node_->children.begin(), node_->children.end(), [](const auto &child) {
            return child->kind == Kind::Sequence && child->children.empty();
          }));
}

Sequence::Sequence() { node_ = std::make_shared<ProgramNode>(); }

Sequence::Sequence(const DebugContext &debugContext) {
  node_ = newNode(Kind::Sequence, debugContext);
}

Sequence::Sequence(std::initializer_list<Program> programs, const DebugContext &debugContext)
    : Sequence(debugContext) {
  for (const Program &program : programs) {
    add(program);
  }
}

void Sequence::add(const Program &program) {
  // Taken before the copy below, in case a sequence is added to itself.
  const std::shared_ptr<ProgramNode> child = Access::node(program);
  if (!node_) {
    node_ = std::make_shared<ProgramNode>(); // moved from
  } else if (node_.use_count() > 1) {
    node_ = std::make_shared<ProgramNode>(*node_); // others keep it as it was
  }
  if (child) {
    node_->children.push_back(child);
  }
}

Execute::Execute(ComputeSet cs, const DebugContext &debugContext) {
  node_ = newNode(Kind::Execute, debugContext);
  node_->computeSet = cs.getId();
}

Execute::Execute(ComputeSet cs, Tensor outPredicate, const DebugContext &debugContext)
    : Execute(cs, debugContext) {
  const std::string who = programText("Execute", debugContext);
  const auto &state = Access::state(outPredicate, who);
  if (state.value.type != copse::graph::ElementType::Bool || outPredicate.numElements() != 1) {
    throw control_program_error(who + ": expected one bool for the result, given a " +
                                copse::graph::nameOf(state.value.type) + " tensor of shape " +
                                outPredicate.shapeToString());
  }
  node_->predicate = state.value;
  node_->hasPredicate = true;
}

Copy::Copy(Tensor src, Tensor dst, bool, const DebugContext &debugContext) {
  const std::string who = programText("Copy", debugContext);
  checkCopy(who, src, dst);
  const auto copyOf = [&](const TypedView &from, const TypedView &to) {
    auto node = newNode(Kind::Copy, debugContext);
    node->source = from;
    node->destination = to;
    return node;
  };
  const auto &from = Access::state(src, who), &to = Access::state(dst, who);
  node_ = copyOf(from.value, to.value);
  if (const auto metadata = copse::graph::metadataToCopy(who, from, to)) {
    auto both = newNode(Kind::Sequence, debugContext);
    both->children = {copyOf(metadata->first, metadata->second), node_};
    node_ = both;
  }
}

namespace {

std::shared_ptr<ProgramNode> remoteCopy(Kind kind, const RemoteBufferState &b, const Tensor &t,
                                        const Tensor *offset, const DebugContext &debugContext) {
  using copse::graph::ElementType;
  const std::string who =
      programText("Copy", debugContext) + " of remote buffer '" + b.def.handle + "'";
  const auto &state = Access::state(t, who);
  auto node = newNode(kind, debugContext);
  std::size_t rows = 1;
  if (offset) {
    const auto &offsets = Access::state(*offset, who);
    if ((offsets.value.type != ElementType::UnsignedInt &&
         offsets.value.type != ElementType::Int) ||
        offset->rank() > 1 || offsets.graph != b.graph) {
      throw control_program_error(who + ": offsets are UNSIGNED_INT of shape {} or {k}, given a " +
                                  copse::graph::nameOf(offsets.value.type) + " tensor of shape " +
                                  offset->shapeToString());
    }
    rows = offset->numElements();
    node->predicate = offsets.value;
    node->hasPredicate = true;
  } else if (b.def.repeats != 1) {
    throw control_program_error(who + ": it has " + std::to_string(b.def.repeats) +
                                " rows; give the offsets of those to copy");
  }
  if (b.graph != state.graph) {
    throw control_program_error(who + ": the buffer belongs to another graph");
  }
  if (b.def.type != state.value.type || b.def.elements * rows != t.numElements()) {
    throw control_program_error(
        who + ": " + std::to_string(rows) + " row(s) of " + std::to_string(b.def.elements) + " " +
        copse::graph::nameOf(b.def.type) + " do not fit a " +
        copse::graph::nameOf(state.value.type) + " tensor of shape " + t.shapeToString());
  }
  node->index = b.index;
  (kind == Kind::TensorToRemote ? node->source : node->destination) = state.value;
  return node;
}

/// A copy between a stream and a tensor; fills in what both directions have in common.
std::shared_ptr<ProgramNode> streamCopy(Kind kind, const DataStream &stream, const Tensor &t,
                                        bool optimiseMemory, const DebugContext &debugContext) {
  const std::string name = programText("Copy", debugContext);
  const auto &s = Access::state(stream);
  const std::string who =
      name + (s.def.toHost ? " to stream '" : " from stream '") + s.def.handle + "'";
  const auto &state = Access::state(t, who);
  if (s.def.toHost != (kind == Kind::TensorToStream)) {
    throw control_program_error(name + ": stream '" + s.def.handle +
                                "' has the opposite direction");
  }
  if (s.rows != nullptr) {
    return remoteCopy(s.def.toHost ? Kind::TensorToRemote : Kind::RemoteToTensor, *s.rows, t,
                      nullptr, debugContext);
  }
  if (s.graph != state.graph) {
    throw control_program_error(who + ": the stream belongs to another graph");
  }
  if (s.def.type != state.value.type) {
    throw control_program_error(who + ": the stream has elements of type " +
                                copse::graph::nameOf(s.def.type) + ", the tensor of type " +
                                copse::graph::nameOf(state.value.type));
  }
  if (s.def.elements != t.numElements()) {
    throw control_program_error(who + ": the stream has " + std::to_string(s.def.elements) +
                                " elements, the tensor shape " + t.shapeToString());
  }
  auto node = newNode(kind, debugContext);
  node->index = s.index;
  node->flag = optimiseMemory;
  (kind == Kind::TensorToStream ? node->source : node->destination) = state.value;
  return node;
}

} // namespace

Copy::Copy(const DataStream &src, Tensor dst, bool optimiseMemory,
           const DebugContext &debugContext) {
  node_ = streamCopy(Kind::StreamToTensor, src, dst, optimiseMemory, debugContext);
}

Copy::Copy(Tensor src, const DataStream &dst, bool optimiseMemory,
           const DebugContext &debugContext) {
  node_ = streamCopy(Kind::TensorToStream, dst, src, optimiseMemory, debugContext);
}

Copy::Copy(const RemoteBuffer &src, Tensor dst, const DebugContext &debugContext) {
  node_ = remoteCopy(Kind::RemoteToTensor, Access::state(src), dst, nullptr, debugContext);
}

Copy::Copy(Tensor src, const RemoteBuffer &dst, const DebugContext &debugContext) {
  node_ = remoteCopy(Kind::TensorToRemote, Access::state(dst), src, nullptr, debugContext);
}

Copy::Copy(const RemoteBuffer &src, Tensor dst, Tensor offset, const DebugContext &debugContext) {
  node_ = remoteCopy(Kind::RemoteToTensor, Access::state(src), dst, &offset, debugContext);
}

Copy::Copy(Tensor src, const RemoteBuffer &dst, Tensor offset, const DebugContext &debugContext) {
  node_ = remoteCopy(Kind::TensorToRemote, Access::state(dst), src, &offset, debugContext);
}

Copy::Copy(const FunctionBuffer &src, const Function &dst, const DebugContext &debugContext) {
  const Function &function = Access::function(src);
  if (!Access::valid(function) || function != dst) {
    throw control_program_error(
        programText("Copy", debugContext) +
        (Access::valid(function)
             ? ": the FunctionBuffer was made for another function"
             : ": the FunctionBuffer is empty; make it with Graph::addFunctionBuffer"));
  }
  node_ = newNode(Kind::Sequence, debugContext); // the code is there: nothing is to be done
}

PrintTensor::PrintTensor(Tensor t, const DebugContext &debugContext) {
  const std::string who = programText("PrintTensor", debugContext);
  node_ = newNode(Kind::PrintTensor, debugContext);
  const auto &state = Access::state(t, who);
  node_->source = state.value;
  if (state.metadata) {
    node_->predicate = {copse::graph::ElementType::QuarterMetadata, *state.metadata};
    node_->hasPredicate = true;
  }
  node_->text = node_->name.empty() ? t.getVarStr() : node_->name;
}

PrintTensor::PrintTensor(StringRef title, Tensor t, const DebugContext &debugContext)
    : PrintTensor(std::move(t), debugContext) {
  node_->text = title.cloneAsString();
}

void PrintTensor::setFormat(const PrintTensorFmt &format) { node_->format = format; }

Sync::Sync(SyncType type, const DebugContext &debugContext) {
  node_ = newNode(Kind::Sync, debugContext);
  node_->index = static_cast<std::uint32_t>(type);
}

WriteUndef::WriteUndef(Tensor t, const DebugContext &debugContext) {
  node_ = newNode(Kind::WriteUndef, debugContext);
  node_->source = Access::state(t, programText("WriteUndef", debugContext)).value;
}

CrossReplicaCopy::CrossReplicaCopy(Tensor src, Tensor dst, std::map<unsigned, unsigned> replicaMap,
                                   const DebugContext &debugContext) {
  const std::string who = programText("CrossReplicaCopy", debugContext);
  checkCopy(who, src, dst);
  const auto &from = Access::state(src, who);
  const unsigned replicas =
      std::max(from.graph->model.replicas, replicasOf(from.graph->model, from.value.view));
  if (replicas == 1) {
    throw control_program_error(who + ": the graph is not replicated");
  }
  std::vector<bool> receives(replicas, false);
  for (const auto &pair : replicaMap) {
    const std::string entry = std::to_string(pair.first) + " -> " + std::to_string(pair.second);
    if (pair.first >= replicas || pair.second >= replicas) {
      throw control_program_error(who + ": " + entry + " names a replica beyond the graph's " +
                                  std::to_string(replicas));
    }
    if (pair.first == pair.second || receives[pair.second]) {
      throw control_program_error(
          who + ": " + entry +
          (pair.first == pair.second ? " sends to itself" : " sends to one that receives already"));
    }
    receives[pair.second] = true;
  }
  if (replicaMap.size() != replicas) {
    throw control_program_error(who + ": the map has " + std::to_string(replicaMap.size()) +
                                " entries for " + std::to_string(replicas) +
                                " replicas; each must send once");
  }
  node_ = newNode(Kind::CrossReplicaCopy, debugContext);
  node_->source = from.value;
  node_->destination = Access::state(dst, who).value;
  node_->replicaMap = std::move(replicaMap);
}

AssumeEqualAcrossReplicas::AssumeEqualAcrossReplicas(Tensor t, const DebugContext &debugContext) {
  node_ = newNode(Kind::AssumeEqual, debugContext);
  node_->source = Access::state(t, programText("AssumeEqualAcrossReplicas", debugContext)).value;
}

AssumeEqualAcrossReplicas::AssumeEqualAcrossReplicas(ArrayRef<Tensor> ts,
                                                     const DebugContext &debugContext) {
  node_ = newNode(Kind::Sequence, debugContext);
  for (const Tensor &t : ts) {
    node_->children.push_back(Access::node(AssumeEqualAcrossReplicas(t, debugContext)));
  }
}

Block::Block(const Program &body, const DebugContext &debugContext) {
  node_ = newNode(Kind::Sequence, debugContext);
  if (const auto &child = Access::node(body)) {
    node_->children.push_back(child);
  }
}

} // namespace program
} // namespace poplar
