#include "synthetic_workloads.hpp"

#include <algorithm>
#include <map>

namespace scaling {

using namespace poplar;
using namespace poplar::program;

namespace {

/// Returns the ring that uses each IPU-Link once in each direction: up one side of the ladder, down
/// the other.
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

/// Provides samples of ones before the IPU asks for them.
class Ones : public StreamCallback {
public:
  explicit Ones(unsigned elements) : elements_(elements) {}
  Result prefetch(void *p) override {
    fetch(p);
    return Result::Success;
  }
  void fetch(void *p) override { std::fill_n(static_cast<float *>(p), elements_, 1.0f); }
  void complete() override {}

private:
  unsigned elements_;
};

/// Discards results.
class Discarded : public StreamCallback {
public:
  Result prefetch(void * /*p*/) override { return Result::NotAvailable; }
  void fetch(void * /*p*/) override {}
  void complete() override {}
};

/// The parts of the workloads.
class Parts {
public:
  Parts(Graph &graph, const Options &options, const Scale &scale)
      : graph_(graph), scale_(scale), elements_(options.kibibytes * 1024 / 4),
        samples_(std::max(1u, options.sampleBytes / 4 * scale.batch)), cycles_(options.cycles) {
    graph_.addCodelets(SCALING_CODELETS);
  }

  /// Returns the copy of a batch from the host.
  Program receive() {
    const unsigned samples = samples_;
    streams.push_back({"in", [samples](unsigned) { return std::make_unique<Ones>(samples); }});
    batch_ = spread("batch", samples);
    return Copy(graph_.addHostToDeviceFIFO("in", FLOAT, samples), batch_);
  }
  Program send() {
    streams.push_back({"out", [](unsigned) { return std::make_unique<Discarded>(); }});
    return Copy(states().front(), graph_.addDeviceToHostFIFO("out", FLOAT, 1));
  }
  /// Returns the copies by which each IPU of a replica passes its part of the batch to the next.
  Program passOn() {
    const unsigned ipus = scale_.ipusPerReplica;
    if (ipus == 1)
      return Sequence();
    const std::size_t part = batch_.numElements() / ipus;
    const Tensor whole = batch_.slice(0, part * ipus), next = spread("next", part * ipus);
    return Copy(concat(whole.slice(part, part * ipus), whole.slice(0, part)), next);
  }
  /// Returns the work on \p samples, shared by the IPUs of a replica.
  Program compute(unsigned samples) {
    const ComputeSet set = graph_.addComputeSet("work");
    for (unsigned ipu = 0; ipu < scale_.ipusPerReplica; ++ipu) {
      const VertexRef vertex = graph_.addVertex(set, "Work", {{"x", states()[ipu]}});
      graph_.setTileMapping(vertex, ipu * graph_.getTarget().getTilesPerIPU());
      graph_.setPerfEstimate(vertex, std::uint64_t{cycles_} * samples / scale_.ipusPerReplica);
    }
    return Execute(set);
  }

  /// Returns a ring all-reduce: 2 (R - 1) hops of 1/R of the gradients each. First every hop adds,
  /// then the sums go round. Which part a replica sends differs from replica to replica; their
  /// sizes and tiles do not, so that one buffer stands for all.
  Program allReduce() {
    const unsigned replicas = scale_.replicas;
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
    return Sequence(
        {Repeat(replicas - 1, Sequence({hop, Execute(add)})), Repeat(replicas - 1, hop)});
  }

  Program exchangeHalos() {
    const unsigned replicas = scale_.replicas;
    const Tensor row = spread("row", elements_), above = spread("above", elements_);
    const Tensor below = spread("below", elements_);
    if (replicas == 1)
      return Sequence({Copy(row, above), Copy(row, below)});
    return Sequence({CrossReplicaCopy(row, above, shift(replicas, 1)),
                     CrossReplicaCopy(row, below, shift(replicas, replicas - 1))});
  }

  std::vector<HostStream> streams;

private:
  /// Adds a variable over kTiles tiles of each IPU of the replica.
  Tensor spread(const char *name, std::size_t elements) {
    Tensor tensor = graph_.addVariable(FLOAT, {elements}, name);
    const unsigned perIpu = graph_.getTarget().getTilesPerIPU(), used = std::min(kTiles, perIpu);
    const std::size_t tiles = std::min<std::size_t>(used * scale_.ipusPerReplica, elements);
    for (std::size_t i = 0; i < tiles; ++i) // in the order of the IPUs, on as many tiles of each
      graph_.setTileMapping(
          tensor.slice(elements * i / tiles, elements * (i + 1) / tiles),
          static_cast<unsigned>(i * scale_.ipusPerReplica / tiles * perIpu + i % used));
    graph_.setInitialValue(tensor, 0.0f);
    return tensor;
  }
  /// Variables that the work changes, on the first tile of each IPU.
  const std::vector<Tensor> &states() {
    for (unsigned ipu = states_.size(); ipu < scale_.ipusPerReplica; ++ipu) {
      states_.push_back(graph_.addVariable(FLOAT, {}, "state"));
      graph_.setTileMapping(states_.back(), ipu * graph_.getTarget().getTilesPerIPU());
      graph_.setInitialValue(states_.back(), 0.0f);
    }
    return states_;
  }

  Graph &graph_;
  Scale scale_;
  unsigned elements_; ///< number of gradients, or elements of a row
  unsigned samples_;  ///< elements of a batch
  unsigned cycles_;   ///< cycles to compute a sample
  Tensor batch_;
  std::vector<Tensor> states_;
};

} // namespace

Work training(Graph &graph, const Options &options, const Scale &scale) {
  Parts parts(graph, options, scale);
  Sequence microBatch(parts.receive());
  microBatch.add(parts.passOn());
  microBatch.add(parts.compute(scale.batch));
  const Sequence step({Repeat(scale.accumulate, microBatch), parts.allReduce()});
  return {Sequence(), step, std::move(parts.streams)};
}

Work stencil(Graph &graph, const Options &options, const Scale &scale) {
  Parts parts(graph, options, scale);
  Sequence step(parts.exchangeHalos());
  step.add(parts.compute(scale.batch * scale.accumulate));
  return {Sequence(), step, {}};
}

Work streamed(Graph &graph, const Options &options, const Scale &scale) {
  Parts parts(graph, options, scale);
  Sequence microBatch(parts.receive());
  microBatch.add(parts.compute(scale.batch));
  microBatch.add(parts.send());
  return {Sequence(), Repeat(scale.accumulate, microBatch), std::move(parts.streams)};
}

} // namespace scaling
