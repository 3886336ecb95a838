#pragma once

#include <cstdint>
#include <poplar/CycleCount.hpp>
#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

namespace copse::test {

/// Returns the time of one run of a compute set on tile 0 [modelled cycles].
inline std::uint64_t cyclesOf(poplar::Graph &graph, const poplar::ComputeSet &set,
                              const poplar::Device &device) {
  poplar::program::Sequence timed{poplar::program::Execute(set)};
  graph.createHostRead("count", poplar::cycleCount(graph, timed, 0, poplar::SyncType::INTERNAL));
  poplar::Engine engine(graph, timed);
  engine.load(device);
  engine.run(0);
  std::uint64_t value = 0;
  engine.readTensor("count", &value, &value + 1);
  return value;
}

} // namespace copse::test
