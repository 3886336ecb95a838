#pragma once

#include "options.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace scaling {

/// Tiles of each IPU that a workload uses.
constexpr unsigned kTiles = 64;

/// A step of the chosen workload on every replica, `steps` times:
///   training  a batch comes from the host, is worked on, and gradients are summed over all
///             replicas by a ring all-reduce
///   stencil   rows are exchanged with the replicas above and below, and then worked on
///   streamed  a batch comes from the host, is worked on, and a result goes back
/// Host streams are "in" (a row of in() elements per replica) and "out" (one element).
class Workload {
public:
  Workload(poplar::Graph &graph, const Options &options);

  const poplar::program::Program &program() const { return program_; }
  bool reads() const { return reads_; }   ///< has stream "in"
  bool writes() const { return writes_; } ///< has stream "out"
  unsigned in() const { return elements_; }

private:
  poplar::Tensor spread(const char *name, unsigned elements);
  poplar::program::Program compute(unsigned cycles);
  poplar::program::Program receive(const poplar::Tensor &batch);
  poplar::program::Program send();
  poplar::program::Program allReduce();
  poplar::program::Program exchangeHalos();

  poplar::Graph &graph_;
  unsigned elements_;
  poplar::Tensor state_;
  poplar::program::Program program_;
  bool reads_ = false, writes_ = false;
};

} // namespace scaling
