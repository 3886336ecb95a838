#include "workloads.hpp"

#include <algorithm>
#include <map>

namespace scaling {

using namespace poplar;
using namespace poplar::program;

namespace {

/// The ring that uses each IPU-Link once in each direction: up one side of the ladder, down the
/// other.
std::map<unsigned, unsigned> ringOf(unsigned replicas) {
  std::vector<unsigned> order;
  for (unsigned r = 0; r < replicas; r += 2)
    order.push_back(r);
  for (unsigned r = replicas; r-- > 0;)
    if (r % 2 == 1)
      order.push_back(r);
  std::map<unsigned, unsigned> ring;
  for (unsigned i = 0; i < replicas; ++i)
    ring[order[i]] = order[(i + 1) % replicas];
  return ring;
}

std::map<unsigned, unsigned> shift(unsigned replicas, unsigned by) {
  std::map<unsigned, unsigned> map;
  for (unsigned r = 0; r < replicas; ++r)
    map[r] = (r + by) % replicas;
  return map;
}

} // namespace

Workload::Workload(Graph &graph, const Options &options)
    : graph_(graph), elements_(options.kibibytes * 1024 / 4) {
  graph_.addCodelets(SCALING_CODELETS);
  state_ = spread("state", 1)[0];
  Sequence step;
  if (options.workload == "training")
    step = Sequence({receive(spread("batch", elements_)), compute(options.cycles), allReduce()});
  else if (options.workload == "stencil")
    step = Sequence({exchangeHalos(), compute(options.cycles)});
  else
    step = Sequence({receive(spread("batch", elements_)), compute(options.cycles), send()});
  program_ = Repeat(options.steps, step);
}

Tensor Workload::spread(const char *name, unsigned elements) {
  const Tensor tensor = graph_.addVariable(FLOAT, {elements}, name);
  const unsigned tiles = std::min({kTiles, elements, graph_.getTarget().getNumTiles()});
  for (unsigned tile = 0; tile < tiles; ++tile)
    graph_.setTileMapping(tensor.slice(elements * std::size_t{tile} / tiles,
                                       elements * std::size_t{tile + 1} / tiles),
                          tile);
  graph_.setInitialValue(tensor, 0.0f);
  return tensor;
}

Program Workload::compute(unsigned cycles) {
  const ComputeSet set = graph_.addComputeSet("work");
  const VertexRef vertex = graph_.addVertex(set, "Work", {{"x", state_}});
  graph_.setTileMapping(vertex, 0);
  graph_.setPerfEstimate(vertex, cycles);
  return Execute(set);
}

Program Workload::receive(const Tensor &batch) {
  reads_ = true;
  return Copy(graph_.addHostToDeviceFIFO("in", FLOAT, elements_), batch);
}

Program Workload::send() {
  writes_ = true;
  return Copy(state_, graph_.addDeviceToHostFIFO("out", FLOAT, 1));
}

/// 2 (R - 1) hops of 1/R of the gradients each: first every hop adds, then the sums go round. Which
/// part a replica sends differs from replica to replica; their sizes and tiles do not, so that one
/// buffer stands for all.
Program Workload::allReduce() {
  const unsigned replicas = graph_.getReplicationFactor();
  if (replicas == 1)
    return Sequence();
  const unsigned part = std::max(1u, elements_ / replicas);
  const Tensor sum = spread("sum", part), moving = spread("moving", part);
  const ComputeSet add = graph_.addComputeSet("add");
  const auto &mapping = graph_.getTileMapping(sum);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const Interval &piece : mapping[tile])
      graph_.setTileMapping(
          graph_.addVertex(add, "AddTo",
                           {{"sum", sum.slice(piece)}, {"part", moving.slice(piece)}}),
          tile);
  const Program hop = CrossReplicaCopy(sum, moving, ringOf(replicas));
  return Sequence({Repeat(replicas - 1, Sequence({hop, Execute(add)})), Repeat(replicas - 1, hop)});
}

Program Workload::exchangeHalos() {
  const unsigned replicas = graph_.getReplicationFactor();
  const Tensor row = spread("row", elements_), above = spread("above", elements_);
  const Tensor below = spread("below", elements_);
  if (replicas == 1)
    return Sequence({Copy(row, above), Copy(row, below)});
  return Sequence({CrossReplicaCopy(row, above, shift(replicas, 1)),
                   CrossReplicaCopy(row, below, shift(replicas, replicas - 1))});
}

} // namespace scaling
