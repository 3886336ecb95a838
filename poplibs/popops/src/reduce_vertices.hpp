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
/// tile. Tasks that would write to the same word are done by one vertex, one after the other. So
/// tasks whose results are smaller than a word are postponed until all tasks of the compute set are
/// known.
class ReductionVertices {
public:
  /// \param graph, params  must outlive this object
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
  /// \param all  tasks whose results are adjacent in memory
  void addSeveral(poplar::ComputeSet cs, const std::vector<Postponed> &all);
  poplar::VertexRef vertex(poplar::ComputeSet cs, const std::string &name, const Postponed &one);
  void connectScale(poplar::VertexRef v);
  std::uint64_t instructionsOf(const Postponed &one, unsigned workers) const;

  poplar::Graph &graph_;
  const popops::ReduceParams &params_;
  /// The postponed tasks, by compute set and tile.
  std::map<std::pair<unsigned, unsigned>, std::pair<poplar::ComputeSet, std::vector<Postponed>>>
      postponed_;
};

} // namespace copse::reductions
