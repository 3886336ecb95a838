#pragma once

#include "popops/Reduce.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace copse::reductions {

/// The task of one vertex: elements [outer, reduced, inner] from column `start` on.
struct ReductionWork {
  poplar::Tensor in, out;
  std::size_t outer, inner, start;
  unsigned tile;
};

/// Makes the vertices of a reduction. Vertices of one compute set must not write the same word of a
/// tile. Works that would are done by one vertex, one after the other; so vertices of results
/// smaller than a word wait until all are known.
class ReductionVertices {
public:
  /// \param params  stays
  ReductionVertices(poplar::Graph &graph, const popops::ReduceParams &params)
      : graph_(graph), params_(params) {}

  /// Adds a vertex whose results all workers share.
  void add(poplar::ComputeSet cs, const ReductionWork &work, popops::Operation op);
  /// Adds a vertex for one worker.
  void addPart(poplar::ComputeSet cs, const ReductionWork &work, popops::Operation op);
  /// Adds a vertex that writes the output, with scale and update.
  void addLast(poplar::ComputeSet cs, const ReductionWork &work, popops::Operation op);
  /// Adds the postponed vertices. Called once, after all other functions.
  void addPostponed();

private:
  enum class Kind { Shared, OnWorker, Scaled };
  struct Postponed {
    ReductionWork work;
    popops::Operation op;
    Kind kind;
  };

  void addOrPostpone(poplar::ComputeSet cs, const Postponed &one);
  void addOne(poplar::ComputeSet cs, const Postponed &one);
  /// \param all  whose results are the next to each other in memory
  void addSeveral(poplar::ComputeSet cs, const std::vector<Postponed> &all);
  poplar::VertexRef vertex(poplar::ComputeSet cs, const std::string &name, const Postponed &one);
  void connectScale(poplar::VertexRef v);
  std::uint64_t instructionsOf(const Postponed &one, unsigned workers) const;

  poplar::Graph &graph_;
  const popops::ReduceParams &params_;
  /// By compute set and tile.
  std::map<std::pair<unsigned, unsigned>, std::pair<poplar::ComputeSet, std::vector<Postponed>>>
      postponed_;
};

} // namespace copse::reductions
