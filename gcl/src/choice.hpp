#pragma once

#include "plan.hpp"
#include "plan_cost.hpp"

#include <cstddef>
#include <optional>
#include <poplar/Target.hpp>
#include <vector>

namespace gcl {

enum class Collective { AllReduce, ReduceScatter, AllGather, AllToAll };

/// How a collective is carried out.
struct Choice {
  Method method = Method::ClockwiseRing;
  std::vector<unsigned> order; ///< rank at each position of the ring
  /// Number of neighbouring ranks in an inner group, for Hierarchical.
  unsigned inner = 0;
  /// How inner groups first reduce and last gather in an all-reduce, in the order of `order`. For
  /// reduce-scatters and all-gathers, each level chooses for itself.
  Method innerMethod = Method::Direct;
};

using Groups = std::vector<std::vector<unsigned>>;
/// Returns the groups of \p inner neighbouring ranks.
Groups innerGroups(const Groups &groups, unsigned inner);
/// Returns the groups of members with equal ranks in their inner groups.
Groups outerGroups(const Groups &groups, unsigned inner);

/// A collective operation to be carried out.
struct Task {
  Collective collective = Collective::AllReduce;
  Groups groups; ///< replicas, shape [group][rank]
  unsigned ipusPerReplica = 1;
  /// Size of the operand on the replica's IPU that has most of it. For AllGather, of one replica's
  /// data.
  std::size_t bytes = 0;
  unsigned tiles = 1;   ///< number of tiles that hold the operand
  bool nestable = true; ///< may be carried out by groups within the groups
};

struct Candidate {
  Choice choice;
  PlanCost cost;
};
/// Returns all ways to carry out \p task.
/// \param method  restricts the ways to this method, if set
std::vector<Candidate> candidates(const FabricModel &model, const Task &task,
                                  std::optional<Method> method);

/// Returns the cheapest way according to the cost model.
/// \param method  restricts the ways to this method, if set
Choice choose(const poplar::Target &target, const Task &task, std::optional<Method> method);

} // namespace gcl
