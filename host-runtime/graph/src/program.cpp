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
using copse::graph::as;
using copse::graph::checkCopy;
using copse::graph::checkedScalar;
using copse::graph::newNode;
using copse::graph::ProgramNode;
using copse::graph::programText;
using copse::graph::RemoteBufferState;
using copse::graph::TypedView;
namespace kind = copse::graph::kind;

Program::Program() = default;

bool Program::isEmpty() const {
  if (!node_) {
    return true;
  }
  const auto *sequence = as<kind::Sequence>(*node_);
  return sequence &&
         std::all_of(sequence->programs.begin(), sequence->programs.end(), [](const auto &child) {
           const auto *inner = as<kind::Sequence>(*child);
           return inner && inner->programs.empty();
         });
}

Sequence::Sequence() { node_ = std::make_shared<ProgramNode>(); }

Sequence::Sequence(const DebugContext &debugContext) {
  node_ = newNode(kind::Sequence{}, debugContext);
}

Sequence::Sequence(std::initializer_list<Program> programs, const DebugContext &debugContext)
    : Sequence(debugContext) {
  for (const Program &program : programs) {
    add(program);
  }
}

void Sequence::add(const Program &program) {
  // Taken before the copy below, because a sequence may be added to itself.
  const std::shared_ptr<ProgramNode> child = Access::node(program);
  if (!node_) {
    node_ = std::make_shared<ProgramNode>(); // moved from
  } else if (node_.use_count() > 1) {
    node_ = std::make_shared<ProgramNode>(*node_); // other handles keep the old node
  }
  if (child) {
    std::get<kind::Sequence>(node_->kind).programs.push_back(child);
  }
}

Execute::Execute(ComputeSet cs, const DebugContext &debugContext) {
  node_ = newNode(kind::Execute{cs.getId(), {}}, debugContext);
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
  std::get<kind::Execute>(node_->kind).result = state.value;
}

Copy::Copy(Tensor src, Tensor dst, bool, const DebugContext &debugContext) {
  const std::string who = programText("Copy", debugContext);
  checkCopy(who, src, dst);
  const auto copyOf = [&](const TypedView &from, const TypedView &to) {
    return newNode(kind::Copy{from, to}, debugContext);
  };
  const auto &from = Access::state(src, who), &to = Access::state(dst, who);
  node_ = copyOf(from.value, to.value);
  if (const auto metadata = copse::graph::metadataToCopy(who, from, to)) {
    node_ =
        newNode(kind::Sequence{{copyOf(metadata->first, metadata->second), node_}}, debugContext);
  }
}

namespace {

std::shared_ptr<ProgramNode> remoteCopy(bool toBuffer, const RemoteBufferState &b, const Tensor &t,
                                        const Tensor *offset, const DebugContext &debugContext) {
  using copse::graph::ElementType;
  const std::string who =
      programText("Copy", debugContext) + " of remote buffer '" + b.def.handle + "'";
  const auto &state = Access::state(t, who);
  kind::RemoteCopy copy{b.index, toBuffer, state.value, {}};
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
    copy.offsets = offsets.value;
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
  return newNode(std::move(copy), debugContext);
}

/// Makes a copy between a stream and a tensor.
std::shared_ptr<ProgramNode> streamCopy(bool toHost, const DataStream &stream, const Tensor &t,
                                        bool optimiseMemory, const DebugContext &debugContext) {
  const std::string name = programText("Copy", debugContext);
  const auto &s = Access::state(stream);
  const std::string who =
      name + (s.def.toHost ? " to stream '" : " from stream '") + s.def.handle + "'";
  const auto &state = Access::state(t, who);
  if (s.def.toHost != toHost) {
    throw control_program_error(name + ": stream '" + s.def.handle +
                                "' has the opposite direction");
  }
  if (s.rows != nullptr) {
    return remoteCopy(toHost, *s.rows, t, nullptr, debugContext);
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
  return newNode(kind::StreamCopy{s.index, toHost, state.value, optimiseMemory}, debugContext);
}

} // namespace

Copy::Copy(const DataStream &src, Tensor dst, bool optimiseMemory,
           const DebugContext &debugContext) {
  node_ = streamCopy(false, src, dst, optimiseMemory, debugContext);
}

Copy::Copy(Tensor src, const DataStream &dst, bool optimiseMemory,
           const DebugContext &debugContext) {
  node_ = streamCopy(true, dst, src, optimiseMemory, debugContext);
}

Copy::Copy(const RemoteBuffer &src, Tensor dst, const DebugContext &debugContext) {
  node_ = remoteCopy(false, Access::state(src), dst, nullptr, debugContext);
}

Copy::Copy(Tensor src, const RemoteBuffer &dst, const DebugContext &debugContext) {
  node_ = remoteCopy(true, Access::state(dst), src, nullptr, debugContext);
}

Copy::Copy(const RemoteBuffer &src, Tensor dst, Tensor offset, const DebugContext &debugContext) {
  node_ = remoteCopy(false, Access::state(src), dst, &offset, debugContext);
}

Copy::Copy(Tensor src, const RemoteBuffer &dst, Tensor offset, const DebugContext &debugContext) {
  node_ = remoteCopy(true, Access::state(dst), src, &offset, debugContext);
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
  // The code is already compiled, so there is nothing to do.
  node_ = newNode(kind::Sequence{}, debugContext);
}

PrintTensor::PrintTensor(Tensor t, const DebugContext &debugContext) {
  const std::string who = programText("PrintTensor", debugContext);
  const auto &state = Access::state(t, who);
  kind::PrintTensor print;
  print.tensor = state.value;
  if (state.metadata) {
    print.metadata = {copse::graph::ElementType::QuarterMetadata, *state.metadata};
  }
  print.title = debugContext.getPathName();
  if (print.title.empty()) {
    print.title = t.getVarStr();
  }
  node_ = newNode(std::move(print), debugContext);
}

PrintTensor::PrintTensor(StringRef title, Tensor t, const DebugContext &debugContext)
    : PrintTensor(std::move(t), debugContext) {
  std::get<kind::PrintTensor>(node_->kind).title = title.cloneAsString();
}

void PrintTensor::setFormat(const PrintTensorFmt &format) {
  std::get<kind::PrintTensor>(node_->kind).format = format;
}

Sync::Sync(SyncType type, const DebugContext &debugContext) {
  node_ = newNode(kind::Sync{type}, debugContext);
}

WriteUndef::WriteUndef(Tensor t, const DebugContext &debugContext) {
  const auto &state = Access::state(t, programText("WriteUndef", debugContext));
  node_ = newNode(kind::WriteUndef{state.value}, debugContext);
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
  node_ = newNode(
      kind::CrossReplicaCopy{from.value, Access::state(dst, who).value, std::move(replicaMap)},
      debugContext);
}

AssumeEqualAcrossReplicas::AssumeEqualAcrossReplicas(Tensor t, const DebugContext &debugContext) {
  const auto &state = Access::state(t, programText("AssumeEqualAcrossReplicas", debugContext));
  node_ = newNode(kind::AssumeEqual{state.value}, debugContext);
}

AssumeEqualAcrossReplicas::AssumeEqualAcrossReplicas(ArrayRef<Tensor> ts,
                                                     const DebugContext &debugContext) {
  kind::Sequence promises;
  for (const Tensor &t : ts) {
    promises.programs.push_back(Access::node(AssumeEqualAcrossReplicas(t, debugContext)));
  }
  node_ = newNode(std::move(promises), debugContext);
}

Block::Block(const Program &body, const DebugContext &debugContext) {
  kind::Sequence block{{}, true};
  if (const auto &child = Access::node(body)) {
    block.programs.push_back(child);
  }
  node_ = newNode(std::move(block), debugContext);
}

} // namespace program
} // namespace poplar
