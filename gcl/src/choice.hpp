#pragma once

#include "plan.hpp"
#include "plan_cost.hpp"

#include <cstddef>
#include <optional>
#include <poplar/Target.hpp>
#include <vector>

namespace gcl {

enum class Collective { AllReduce, ReduceScatter, AllGather, AllToAll };

/// The method of a collective.
struct Choice {
  Method method = Method::ClockwiseRing;
  std::vector<unsigned> order; ///< the rank at each position of the ring
  /// Hierarchical: so many neighbouring ranks first reduce and last gather by innerMethod, in the
  /// order of `order`.
  unsigned inner = 0;
  Method innerMethod = Method::Direct;
};

using Groups = std::vector<std::vector<unsigned>>;
/// The groups of \p inner neighbouring ranks.
Groups innerGroups(const Groups &groups, unsigned inner);
/// Those of the members with the same rank in their inner group.
Groups outerGroups(const Groups &groups, unsigned inner);

/// The work of a collective.
struct Task {
  Collective collective = Collective::AllReduce;
  Groups groups; ///< replicas, shape [group][rank]
  unsigned ipusPerReplica = 1;
  /// Of the operand on the IPU of a replica that has most. AllGather: of what one replica has.
  std::size_t bytes = 0;
  unsigned tiles = 1;   ///< that hold them
  bool nestable = true; ///< may be done by groups within the groups
};

struct Candidate {
  Choice choice;
  PlanCost cost;
};
/// All ways that there are.
/// \param method  if set, the only one to look at
std::vector<Candidate> candidates(const FabricModel &model, const Task &task,
                                  std::optional<Method> method);

/// The cheapest way by the cost model.
/// \param method  if set, the only one to look at
Choice choose(const poplar::Target &target, const Task &task, std::optional<Method> method);

} // namespace gcl
