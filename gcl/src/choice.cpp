#include "choice.hpp"

#include "ring.hpp"

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

} // namespace

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
      const Plan plan = planOf(task.collective, each, members);
      const std::uint64_t rowBytes =
          plan.wholeRows ? task.bytes : (task.bytes + members - 1) / members;
      all.push_back(
          {{each, order}, costOf(plan, {ring, task.ipusPerReplica, rowBytes, task.tiles}, model)});
    }
  }
  return all;
}

Choice choose(const poplar::Target &target, const Task &task, std::optional<Method> method) {
  const std::size_t replicas = task.groups.size() * task.groups.front().size();
  const FabricModel model =
      FabricModel::of(target, static_cast<unsigned>(replicas * task.ipusPerReplica));
  const std::vector<Candidate> all = candidates(model, task, method);
  // The first of equals, so that the choice depends on nothing else.
  const Candidate *best = &all.front();
  for (const Candidate &candidate : all)
    if (candidate.cost.cycles < best->cost.cycles)
      best = &candidate;
  return best->choice;
}

} // namespace gcl
