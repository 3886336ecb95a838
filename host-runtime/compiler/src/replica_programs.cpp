#include "replica_programs.hpp"

#include "graph/replicas.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>
#include <memory>

namespace copse::compiler {

using graph::ProgramPtr;
using graph::TypedView;
using graph::View;
using Kind = graph::ProgramNode::Kind;

namespace {

ProgramPtr share(graph::ProgramNode node) {
  return std::make_shared<const graph::ProgramNode>(std::move(node));
}

[[noreturn]] void refuse(const graph::ProgramNode &node, const char *kind, const std::string &why) {
  throw poplar::graph_replication_error(
      kind + (node.name.empty() ? std::string() : " '" + node.name + "'") + ": " + why);
}

constexpr const char *kNotAlone =
    "the predicate belongs to a replicated graph and has a value for each replica, but the program "
    "is not of one replica alone; use a predicate of the parent graph";

/// Definitions of one handle that stand in a row are the instances of one stream.
template <class Defs> std::uint32_t sameHandles(const Defs &defs, std::uint32_t first) {
  std::uint32_t last = first;
  while (last < defs.size() && defs[last].handle == defs[first].handle)
    ++last;
  return last - first;
}

} // namespace

ReplicaPrograms::ReplicaPrograms(const graph::Model &from, graph::Model &to,
                                 ReplicaVertices &vertices)
    : from_(from), to_(to), vertices_(vertices) {}

void ReplicaPrograms::expandFunctions() {
  for (std::size_t i = 0; i < from_.functions.size(); ++i) {
    ProgramPtr expanded = expand(from_.functions[i]); // may add functions
    to_.functions[i] = std::move(expanded);
  }
}

ProgramPtr ReplicaPrograms::expand(const ProgramPtr &program) { return expand(program, {}); }

ProgramPtr ReplicaPrograms::expand(const ProgramPtr &program, Lone lone) {
  return program ? expandNode(*program, lone) : nullptr;
}

ProgramPtr ReplicaPrograms::expandNode(const Node &node, Lone lone) {
  switch (node.kind) {
  case Kind::Sequence:
  case Kind::Repeat:
  case Kind::Sync:
    return share(withChildren(node, lone));
  case Kind::Execute:
    return execute(node, lone);
  case Kind::Call:
    return call(node, lone);
  case Kind::Copy:
    return copy(node, lone);
  case Kind::CrossReplicaCopy:
    return crossReplicaCopy(node, lone);
  case Kind::StreamToTensor:
  case Kind::TensorToStream:
    return stream(node, lone);
  case Kind::RemoteToTensor:
  case Kind::TensorToRemote:
    return remoteCopy(node, lone);
  case Kind::PrintTensor:
  case Kind::WriteUndef:
  case Kind::AssumeEqual:
    return look(node, lone);
  case Kind::If:
  case Kind::RepeatWhile:
  case Kind::Switch:
  case Kind::Abort:
  case Kind::ReadClock:
    return onEach(node, replicasOf(node), lone);
  }
  return nullptr;
}

/// Replicas that the tensors of a program exist on.
std::uint32_t ReplicaPrograms::replicasOf(const Node &node) const {
  std::uint32_t replicas = 1;
  for (const TypedView *value : {&node.source, &node.destination, &node.predicate}) {
    const std::uint32_t here = graph::replicasOf(from_, value->view);
    if (here != 1 && replicas != 1 && here != replicas)
      refuse(node, "Program",
             "its tensors belong to graphs with " + std::to_string(replicas) + " and " +
                 std::to_string(here) + " replicas");
    replicas = std::max(replicas, here);
  }
  return replicas;
}

graph::ProgramNode ReplicaPrograms::withChildren(const Node &node, Lone lone) {
  Node out = node;
  for (ProgramPtr &child : out.children)
    child = expand(child, lone);
  return out;
}

ProgramPtr ReplicaPrograms::onEach(const Node &node, std::uint32_t replicas, Lone lone) {
  if (lone)
    return share(withChildren(onReplica(node, *lone), lone));
  if (replicas == 1)
    return share(withChildren(node, lone));
  Node sequence;
  sequence.name = node.name;
  for (std::uint32_t r = 0; r < replicas; ++r)
    sequence.children.push_back(share(withChildren(onReplica(node, r), r)));
  return share(std::move(sequence));
}

/// The same program on one replica's instances; children as they are.
graph::ProgramNode ReplicaPrograms::onReplica(const Node &node, std::uint32_t replica) {
  Node out = node;
  for (TypedView *value : {&out.source, &out.destination, &out.predicate})
    value->view = graph::instanceOf(from_, value->view, replica);
  return out;
}

ProgramPtr ReplicaPrograms::execute(const Node &node, Lone lone) {
  const std::uint32_t replicas = replicasOf(node);
  if (!lone && replicas == 1)
    return share(node);
  const auto one = [&](std::uint32_t replica) {
    Node out = onReplica(node, replica);
    out.computeSet = vertices_.computeSetOf(node.computeSet, replica, "Execute");
    return share(std::move(out));
  };
  if (lone)
    return one(*lone);
  Node sequence; // each replica's result is that of its own vertices
  for (std::uint32_t r = 0; r < replicas; ++r)
    sequence.children.push_back(one(r));
  return share(std::move(sequence));
}

ProgramPtr ReplicaPrograms::call(const Node &node, Lone lone) {
  if (!lone)
    return share(node);
  Node out = node;
  const auto next = static_cast<std::uint32_t>(to_.functions.size());
  const auto [known, isNew] = loneFunctions_.try_emplace({node.index, *lone}, next);
  out.index = known->second;
  if (isNew) {
    to_.functions.emplace_back();
    ProgramPtr body = expand(from_.functions[node.index], lone); // may add functions
    to_.functions[out.index] = std::move(body);
  }
  return share(std::move(out));
}

TypedView ReplicaPrograms::all(const TypedView &value, std::uint32_t replicas) const {
  return {value.type, graph::allInstances(from_, value.view, replicas)};
}

ProgramPtr ReplicaPrograms::copy(const Node &node, Lone lone) {
  const std::uint32_t replicas = replicasOf(node);
  if (replicas == 1 && lone)
    refuse(node, "Copy", kNotAlone);
  if (replicas == 1)
    return share(node);
  if (graph::replicasOf(from_, node.destination.view) == 1)
    refuse(node, "Copy",
           "every replica would write the same tensor of the parent graph; copy from the "
           "result of getNonReplicatedTensor()");
  if (lone)
    return share(onReplica(node, *lone));
  Node out = node;
  out.source = all(node.source, replicas);
  out.destination = all(node.destination, replicas);
  return share(std::move(out));
}

/// What replica r sends goes to replica map[r]: an ordinary copy between their tiles.
ProgramPtr ReplicaPrograms::crossReplicaCopy(const Node &node, Lone lone) {
  const std::uint32_t replicas = replicasOf(node);
  if (lone)
    refuse(node, "CrossReplicaCopy", kNotAlone);
  if (graph::replicasOf(from_, node.destination.view) != replicas ||
      node.replicaMap.size() != replicas)
    refuse(node, "CrossReplicaCopy", "source, destination and map are of different graphs");
  std::vector<View> destinations;
  for (const auto &[from, to] : node.replicaMap)
    destinations.push_back(graph::instanceOf(from_, node.destination.view, to).insertDimension(0));
  Node out = node;
  out.kind = Kind::Copy;
  out.source = all(node.source, replicas);
  out.destination.view = View::concat(destinations, 0);
  return share(std::move(out));
}

/// Entries of the model behind a stream or a remote buffer.
std::uint32_t ReplicaPrograms::instancesBehind(const Node &node) const {
  return node.kind == Kind::StreamToTensor || node.kind == Kind::TensorToStream
             ? sameHandles(from_.streams, node.index)
             : sameHandles(from_.remoteBuffers, node.index);
}

ProgramPtr ReplicaPrograms::stream(const Node &node, Lone lone) {
  const std::uint32_t instances = instancesBehind(node), replicas = replicasOf(node);
  const std::string handle = "stream '" + from_.streams[node.index].handle + "'";
  const bool toHost = node.kind == Kind::TensorToStream;
  if (instances == 1 && lone)
    refuse(node, "Copy", handle + ": " + kNotAlone);
  if (instances == 1 && replicas == 1)
    return share(node);
  if (instances == 1 && !toHost)
    return broadcast(node, replicas);
  if (instances != replicas && (!toHost || replicas != 1))
    refuse(node, "Copy",
           "the tensor has " + std::to_string(replicas) + " replica(s), but " + handle + " has " +
               std::to_string(instances));
  return onInstances(node, instances, lone);
}

/// One row for all: it goes to the first replica, and from there to the others.
ProgramPtr ReplicaPrograms::broadcast(const Node &node, std::uint32_t replicas) {
  const Node first = onReplica(node, 0);
  Node onward;
  onward.kind = Kind::Copy;
  onward.name = node.name;
  onward.destination = all(node.destination, replicas);
  onward.destination.view = onward.destination.view.slice(1, replicas, 0);
  onward.source = {first.destination.type,
                   first.destination.view.insertDimension(0).broadcast(replicas - 1, 0)};
  Node sequence;
  sequence.children = {share(first), share(std::move(onward))};
  return share(std::move(sequence));
}

ProgramPtr ReplicaPrograms::remoteCopy(const Node &node, Lone lone) {
  const std::uint32_t instances = instancesBehind(node), replicas = replicasOf(node);
  if (instances != replicas)
    refuse(node, "Copy",
           "the tensors have " + std::to_string(replicas) + " replica(s), but remote buffer '" +
               from_.remoteBuffers[node.index].handle + "' has " + std::to_string(instances));
  if (instances == 1 && lone)
    refuse(node, "Copy", kNotAlone);
  if (instances == 1)
    return share(node);
  return onInstances(node, instances, lone);
}

/// The copies between each replica's tensor and its own stream or remote buffer.
ProgramPtr ReplicaPrograms::onInstances(const Node &node, std::uint32_t instances, Lone lone) {
  Node sequence;
  for (std::uint32_t r = lone.value_or(0); r < (lone ? *lone + 1 : instances); ++r) {
    Node one = onReplica(node, r);
    one.index = node.index + r;
    sequence.children.push_back(share(std::move(one)));
  }
  return share(std::move(sequence));
}

/// Programs that only look at a tensor: at shape {replicas, ...}, or at what one replica has.
ProgramPtr ReplicaPrograms::look(const Node &node, Lone lone) {
  const std::uint32_t replicas = replicasOf(node);
  if (replicas == 1)
    return share(node);
  Node out = lone ? onReplica(node, *lone) : node;
  if (lone)
    out.text += " (replica " + std::to_string(*lone) + ")";
  else
    out.source = all(node.source, replicas);
  return share(std::move(out));
}

} // namespace copse::compiler
