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
  if (method == Method::Hierarchical)
    return collective == Collective::AllReduce ? std::vector<Method>{}
                                               : methodsOf(collective, std::nullopt);
  if (method)
    return {*method};
  switch (collective) {
  case Collective::AllToAll:
    return {Method::Direct};
  case Collective::ReduceScatter:
  case Collective::AllGather:
    return {Method::ClockwiseRing, Method::AnticlockwiseRing, Method::BidirectionalRingPair,
            Method::MeetInMiddleRing, Method::Direct};
  case Collective::AllReduce:
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

/// Returns the cycles of two steps that only the outer all-reduce needs: its operand is copied into
/// a new layout, and its positions are computed.
std::uint64_t nestingCycles(const FabricModel &model, const Task &outer) {
  const std::uint64_t bytes = outer.bytes / std::max(1u, outer.tiles);
  return 3 * model.exchangeCycles + 2 * bytes / model.memcpyBytesPerCycle + model.computeCycles(10);
}

void addHierarchical(const FabricModel &model, const Task &task, std::vector<Candidate> &all) {
  const auto members = static_cast<unsigned>(task.groups.front().size());
  for (unsigned inner = 2; inner < members; ++inner) {
    if (members % inner != 0)
      continue;
    const Groups neighbours = innerGroups(task.groups, inner);
    const std::size_t part = (task.bytes + inner - 1) / inner;
    const Task outer{Collective::AllReduce, outerGroups(task.groups, inner), task.ipusPerReplica,
                     part, task.tiles};
    const PlanCost outerCost = cheapest(candidates(model, outer, std::nullopt)).cost;
    for (const Method method :
         {Method::Direct, Method::MeetInMiddleRing, Method::BidirectionalRingPair}) {
      const std::vector<unsigned> order = orderUpAndDown(inner);
      const Ring ring(neighbours, order);
      PlanCost cost = costOf(allReducePlan(method, inner),
                             {ring, task.ipusPerReplica, part, task.tiles}, model);
      cost.cycles += outerCost.cycles + nestingCycles(model, outer);
      cost.busiestLinkBytes += outerCost.busiestLinkBytes;
      all.push_back({{Method::Hierarchical, order, inner, method}, cost});
    }
  }
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
  if (task.collective == Collective::AllReduce && task.nestable &&
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
