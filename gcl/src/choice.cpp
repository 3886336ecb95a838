#include "choice.hpp"

#include "choice_log.hpp"
#include "ring.hpp"

#include <algorithm>

namespace gcl {
namespace {

Plan planOf(Collective collective, Method method, unsigned members) {
  switch (collective) {
  case Collective::AllReduce:
    return allReducePlan(method, members);
  case Collective::ReduceScatter:
    return reduceScatterPlan(method, members);
  case Collective::AllGather:
    return allGatherPlan(method, members);
  case Collective::AllToAll:
    break;
  }
  return allToAllPlan(members);
}

std::vector<Method> methodsOf(Collective collective, std::optional<Method> method) {
  if (collective == Collective::AllToAll && (!method || method == Method::Hierarchical))
    return {Method::Direct};
  if (method == Method::Hierarchical)
    return {};
  if (method)
    return {*method};
  switch (collective) {
  case Collective::ReduceScatter:
  case Collective::AllGather:
    return {Method::ClockwiseRing, Method::AnticlockwiseRing, Method::BidirectionalRingPair,
            Method::MeetInMiddleRing, Method::Direct};
  case Collective::AllReduce:
  case Collective::AllToAll:
    break;
  }
  return {Method::ClockwiseRing,
          Method::AnticlockwiseRing,
          Method::BidirectionalRingPair,
          Method::MeetInMiddleRing,
          Method::Direct,
          Method::Broadcast};
}

/// Returns true if every member sends to all others in one step.
bool sendsToAllAtOnce(Method method) {
  return method == Method::Direct || method == Method::Broadcast;
}

Candidate cheapest(const std::vector<Candidate> &all) {
  // Takes the first of equals, so that the choice depends on nothing else.
  return *std::min_element(all.begin(), all.end(), [](const Candidate &a, const Candidate &b) {
    return a.cost.cycles < b.cost.cycles;
  });
}

/// Returns the cycles of two steps that only the second of two nested collectives needs: its
/// operand is copied into a new layout, and its positions are computed.
std::uint64_t nestingCycles(const FabricModel &model, unsigned tiles, std::size_t operandBytes) {
  const std::uint64_t bytes = operandBytes / std::max(1u, tiles);
  return 3 * model.exchangeCycles + 2 * bytes / model.memcpyBytesPerCycle + model.computeCycles(10);
}

void addHierarchicalAllReduce(const FabricModel &model, const Task &task, unsigned inner,
                              std::vector<Candidate> &all) {
  const Groups neighbours = innerGroups(task.groups, inner);
  const std::size_t part = (task.bytes + inner - 1) / inner;
  const Task outer{Collective::AllReduce, outerGroups(task.groups, inner), task.ipusPerReplica,
                   part, task.tiles};
  const PlanCost outerCost = cheapest(candidates(model, outer, std::nullopt)).cost;
  for (const Method method :
       {Method::Direct, Method::MeetInMiddleRing, Method::BidirectionalRingPair}) {
    const std::vector<unsigned> order = orderUpAndDown(inner);
    const Ring ring(neighbours, order);
    PlanCost cost =
        costOf(allReducePlan(method, inner), {ring, task.ipusPerReplica, part, task.tiles}, model);
    cost.cycles += outerCost.cycles + nestingCycles(model, outer.tiles, outer.bytes);
    cost.busiestLinkBytes += outerCost.busiestLinkBytes;
    all.push_back({{Method::Hierarchical, order, inner, method}, cost});
  }
}

/// Adds a reduce-scatter within inner groups and then across them, or an all-gather across them and
/// then within: in both, as little as possible crosses the groups.
void addHierarchicalPart(const FabricModel &model, const Task &task, unsigned inner,
                         std::vector<Candidate> &all) {
  const auto members = static_cast<unsigned>(task.groups.front().size());
  const bool gathers = task.collective == Collective::AllGather;
  const Task within{task.collective,     innerGroups(task.groups, inner),
                    task.ipusPerReplica, gathers ? task.bytes * (members / inner) : task.bytes,
                    task.tiles,          false};
  const Task across{task.collective,     outerGroups(task.groups, inner),
                    task.ipusPerReplica, gathers ? task.bytes : (task.bytes + inner - 1) / inner,
                    task.tiles,          false};
  const PlanCost first = cheapest(candidates(model, within, std::nullopt)).cost;
  const PlanCost second = cheapest(candidates(model, across, std::nullopt)).cost;
  const std::size_t between = gathers ? within.bytes : across.bytes;
  all.push_back({{Method::Hierarchical, orderByRank(members), inner},
                 {first.cycles + second.cycles + nestingCycles(model, task.tiles, between),
                  first.busiestLinkBytes + second.busiestLinkBytes}});
}

void addHierarchical(const FabricModel &model, const Task &task, std::vector<Candidate> &all) {
  const auto members = static_cast<unsigned>(task.groups.front().size());
  for (unsigned inner = 2; inner < members; ++inner)
    if (members % inner == 0)
      (task.collective == Collective::AllReduce ? addHierarchicalAllReduce
                                                : addHierarchicalPart)(model, task, inner, all);
}

} // namespace

Groups innerGroups(const Groups &groups, unsigned inner) {
  Groups parts;
  for (const std::vector<unsigned> &group : groups)
    for (auto first = group.begin(); first != group.end(); first += inner)
      parts.emplace_back(first, first + inner);
  return parts;
}

Groups outerGroups(const Groups &groups, unsigned inner) {
  Groups across;
  for (const std::vector<unsigned> &group : groups)
    for (unsigned rank = 0; rank < inner; ++rank) {
      across.emplace_back();
      for (std::size_t i = rank; i < group.size(); i += inner)
        across.back().push_back(group[i]);
    }
  return across;
}

std::vector<Candidate> candidates(const FabricModel &model, const Task &task,
                                  std::optional<Method> method) {
  const auto members = static_cast<unsigned>(task.groups.front().size());
  std::vector<Candidate> all;
  std::vector<std::vector<unsigned>> orders{orderByRank(members)};
  if (members > 2)
    orders.push_back(orderUpAndDown(members));
  for (const std::vector<unsigned> &order : orders) {
    const Ring ring(task.groups, order);
    for (const Method each : methodsOf(task.collective, method)) {
      if (sendsToAllAtOnce(each) && order != orders.front())
        continue; // the order of the members makes no difference
      const Plan plan = planOf(task.collective, each, members);
      const std::uint64_t rowBytes =
          plan.wholeRows ? task.bytes : (task.bytes + members - 1) / members;
      all.push_back(
          {{each, order}, costOf(plan, {ring, task.ipusPerReplica, rowBytes, task.tiles}, model)});
    }
  }
  if (task.collective != Collective::AllToAll && task.nestable &&
      (!method || method == Method::Hierarchical))
    addHierarchical(model, task, all);
  if (all.empty()) // hierarchical was asked for, but groups contain no smaller groups
    return candidates(model, task, std::nullopt);
  return all;
}

Choice choose(const poplar::Target &target, const Task &task, std::optional<Method> method) {
  const std::size_t replicas = task.groups.size() * task.groups.front().size();
  const FabricModel model =
      FabricModel::of(target, static_cast<unsigned>(replicas * task.ipusPerReplica));
  const std::vector<Candidate> all = candidates(model, task, method);
  const Candidate chosen = cheapest(all);
  logChoice(task, chosen, all);
  return chosen.choice;
}

} // namespace gcl
