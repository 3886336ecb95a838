#include "replica_programs.hpp"

#include "graph/replicas.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>
#include <memory>

namespace copse::compiler {

using graph::OneOf;
using graph::ProgramPtr;
using graph::TypedView;
using graph::View;
namespace kind = graph::kind;

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

/// Returns the number of consecutive definitions with one handle; they are instances of one stream.
template <class Defs> std::uint32_t sameHandles(const Defs &defs, std::uint32_t first) {
  std::uint32_t last = first;
  while (last < defs.size() && defs[last].handle == defs[first].handle)
    ++last;
  return last - first;
}

/// Returns a sequence of the programs.
ProgramPtr inSequence(const std::string &name, std::vector<ProgramPtr> programs) {
  return share({name, kind::Sequence{std::move(programs)}});
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
  return graph::visitKind(
      node,
      [&](const OneOf<kind::Sequence, kind::Repeat, kind::Sync> auto &) {
        return share(withChildren(node, lone));
      },
      [&](const OneOf<kind::Execute, kind::Call, kind::Copy, kind::CrossReplicaCopy,
                      kind::StreamCopy, kind::RemoteCopy, kind::PrintTensor> auto &what) {
        return expandKind(node, what, lone);
      },
      [&](const kind::WriteUndef &) { return look<kind::WriteUndef>(node, lone); },
      [&](const kind::AssumeEqual &) { return look<kind::AssumeEqual>(node, lone); },
      [&](const OneOf<kind::If, kind::RepeatWhile, kind::Switch, kind::Abort, kind::ReadClock> auto
              &) { return onEach(node, replicasOf(node), lone); });
}

/// Returns the number of replicas on which the tensors of a program exist.
std::uint32_t ReplicaPrograms::replicasOf(const Node &node) const {
  std::uint32_t replicas = 1;
  visitTensors(node, [&](const TypedView &value) {
    const std::uint32_t here = graph::replicasOf(from_, value.view);
    if (here != 1 && replicas != 1 && here != replicas)
      refuse(node, "Program",
             "its tensors belong to graphs with " + std::to_string(replicas) + " and " +
                 std::to_string(here) + " replicas");
    replicas = std::max(replicas, here);
  });
  return replicas;
}

graph::ProgramNode ReplicaPrograms::withChildren(const Node &node, Lone lone) {
  Node out = node;
  visitChildren(out, [&](ProgramPtr &child) { child = expand(child, lone); });
  return out;
}

ProgramPtr ReplicaPrograms::onEach(const Node &node, std::uint32_t replicas, Lone lone) {
  if (lone)
    return share(withChildren(onReplica(node, *lone), lone));
  if (replicas == 1)
    return share(withChildren(node, lone));
  std::vector<ProgramPtr> programs;
  for (std::uint32_t r = 0; r < replicas; ++r)
    programs.push_back(share(withChildren(onReplica(node, r), r)));
  return inSequence(node.name, std::move(programs));
}

/// Returns the program for one replica's instances, with its children unchanged.
graph::ProgramNode ReplicaPrograms::onReplica(const Node &node, std::uint32_t replica) {
  Node out = node;
  visitTensors(
      out, [&](TypedView &value) { value.view = graph::instanceOf(from_, value.view, replica); });
  return out;
}

ProgramPtr ReplicaPrograms::expandKind(const Node &node, const kind::Execute &execute, Lone lone) {
  const std::uint32_t replicas = replicasOf(node);
  if (!lone && replicas == 1)
    return share(node);
  const auto one = [&](std::uint32_t replica) {
    Node out = onReplica(node, replica);
    std::get<kind::Execute>(out.kind).computeSet =
        vertices_.computeSetOf(execute.computeSet, replica, "Execute");
    return share(std::move(out));
  };
  if (lone)
    return one(*lone);
  std::vector<ProgramPtr> programs; // each replica's result covers its own vertices
  for (std::uint32_t r = 0; r < replicas; ++r)
    programs.push_back(one(r));
  return inSequence("", std::move(programs));
}

ProgramPtr ReplicaPrograms::expandKind(const Node &node, const kind::Call &call, Lone lone) {
  if (!lone)
    return share(node);
  const auto next = static_cast<std::uint32_t>(to_.functions.size());
  const auto [known, isNew] = loneFunctions_.try_emplace({call.function, *lone}, next);
  const std::uint32_t function = known->second;
  if (isNew) {
    to_.functions.emplace_back();
    ProgramPtr body = expand(from_.functions[call.function], lone); // may add functions
    to_.functions[function] = std::move(body);
  }
  return share({node.name, kind::Call{function}});
}

TypedView ReplicaPrograms::all(const TypedView &value, std::uint32_t replicas) const {
  return {value.type, graph::allInstances(from_, value.view, replicas)};
}

ProgramPtr ReplicaPrograms::expandKind(const Node &node, const kind::Copy &copy, Lone lone) {
  const std::uint32_t replicas = replicasOf(node);
  if (replicas == 1 && lone)
    refuse(node, "Copy", kNotAlone);
  if (replicas == 1)
    return share(node);
  if (graph::replicasOf(from_, copy.destination.view) == 1)
    refuse(node, "Copy",
           "every replica would write the same tensor of the parent graph; copy from the "
           "result of getNonReplicatedTensor()");
  if (lone)
    return share(onReplica(node, *lone));
  return share(
      {node.name, kind::Copy{all(copy.source, replicas), all(copy.destination, replicas)}});
}

/// Expands a cross-replica copy: data of replica r go to replica map[r], as an ordinary copy
/// between their tiles.
ProgramPtr ReplicaPrograms::expandKind(const Node &node, const kind::CrossReplicaCopy &copy,
                                       Lone lone) {
  const std::uint32_t replicas = replicasOf(node);
  if (lone)
    refuse(node, "CrossReplicaCopy", kNotAlone);
  if (graph::replicasOf(from_, copy.destination.view) != replicas ||
      copy.replicaMap.size() != replicas)
    refuse(node, "CrossReplicaCopy", "source, destination and map are of different graphs");
  std::vector<View> destinations;
  for (const auto &[from, to] : copy.replicaMap)
    destinations.push_back(graph::instanceOf(from_, copy.destination.view, to).insertDimension(0));
  return share({node.name, kind::Copy{all(copy.source, replicas),
                                      {copy.destination.type, View::concat(destinations, 0)}}});
}

ProgramPtr ReplicaPrograms::expandKind(const Node &node, const kind::StreamCopy &copy, Lone lone) {
  const std::uint32_t instances = sameHandles(from_.streams, copy.stream);
  const std::uint32_t replicas = replicasOf(node);
  const std::string handle = "stream '" + from_.streams[copy.stream].handle + "'";
  if (instances == 1 && lone)
    refuse(node, "Copy", handle + ": " + kNotAlone);
  if (instances == 1 && replicas == 1)
    return share(node);
  if (instances == 1 && !copy.toHost)
    return broadcast(node, copy, replicas);
  if (instances != replicas && (!copy.toHost || replicas != 1))
    refuse(node, "Copy",
           "the tensor has " + std::to_string(replicas) + " replica(s), but " + handle + " has " +
               std::to_string(instances));
  return onInstances(node, &kind::StreamCopy::stream, instances, lone);
}

/// Expands a broadcast: the row goes to the first replica, and from there to the others.
ProgramPtr ReplicaPrograms::broadcast(const Node &node, const kind::StreamCopy &copy,
                                      std::uint32_t replicas) {
  const View first = graph::instanceOf(from_, copy.tensor.view, 0);
  const View others = all(copy.tensor, replicas).view.slice(1, replicas, 0);
  const View sent = first.insertDimension(0).broadcast(replicas - 1, 0);
  const graph::ElementType type = copy.tensor.type;
  const kind::Copy onward{{type, sent}, {type, others}};
  return inSequence("", {share(onReplica(node, 0)), share({node.name, onward})});
}

ProgramPtr ReplicaPrograms::expandKind(const Node &node, const kind::RemoteCopy &copy, Lone lone) {
  const std::uint32_t instances = sameHandles(from_.remoteBuffers, copy.buffer);
  const std::uint32_t replicas = replicasOf(node);
  if (instances != replicas)
    refuse(node, "Copy",
           "the tensors have " + std::to_string(replicas) + " replica(s), but remote buffer '" +
               from_.remoteBuffers[copy.buffer].handle + "' has " + std::to_string(instances));
  if (instances == 1 && lone)
    refuse(node, "Copy", kNotAlone);
  if (instances == 1)
    return share(node);
  return onInstances(node, &kind::RemoteCopy::buffer, instances, lone);
}

template <class Kind>
ProgramPtr ReplicaPrograms::onInstances(const Node &node, std::uint32_t Kind::*index,
                                        std::uint32_t instances, Lone lone) {
  std::vector<ProgramPtr> programs;
  for (std::uint32_t r = lone.value_or(0); r < (lone ? *lone + 1 : instances); ++r) {
    Node one = onReplica(node, r);
    std::get<Kind>(one.kind).*index += r;
    programs.push_back(share(std::move(one)));
  }
  return inSequence("", std::move(programs));
}

ProgramPtr ReplicaPrograms::expandKind(const Node &node, const kind::PrintTensor &print,
                                       Lone lone) {
  if (!lone || replicasOf(node) == 1)
    return look<kind::PrintTensor>(node, lone);
  Node out = onReplica(node, *lone);
  std::get<kind::PrintTensor>(out.kind).title =
      print.title + " (replica " + std::to_string(*lone) + ")";
  return share(std::move(out));
}

template <class Kind> ProgramPtr ReplicaPrograms::look(const Node &node, Lone lone) {
  const std::uint32_t replicas = replicasOf(node);
  if (replicas == 1)
    return share(node);
  if (lone)
    return share(onReplica(node, *lone));
  Node out = node;
  TypedView &tensor = std::get<Kind>(out.kind).tensor;
  tensor = all(tensor, replicas);
  return share(std::move(out));
}

} // namespace copse::compiler
