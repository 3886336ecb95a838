#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <functional>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <utility>

namespace copse::bench {

constexpr unsigned kTurns =
    8; // operations per Engine::run; many, so that starting a run costs little

using Operation = std::function<void(poplar::Graph &, poplar::program::Sequence &prepare,
                                     poplar::program::Sequence &timed)>;

/// Times kTurns of \p operation on one core.
inline void time(benchmark::State &state, const Operation &operation) {
  ::setenv("COPSE_THREADS", "1", 1);
  poplar::Device device = poplar::IPUModel().createDevice();
  poplar::Graph graph(device);
  poplar::program::Sequence prepare, timed;
  operation(graph, prepare, timed);
  poplar::Engine engine(graph, {prepare, poplar::program::Repeat(kTurns, timed)});
  engine.load(device);
  engine.run(0);
  engine.run(1);
  for (auto _ : state)
    engine.run(1);
}

/// Times kTurns of a plain loop.
template <typename Loop> void timePlain(benchmark::State &state, Loop loop) {
  loop();
  for (auto _ : state)
    for (unsigned turn = 0; turn != kTurns; ++turn) {
      loop();
      benchmark::ClobberMemory();
    }
}

inline void add(const char *name, Operation operation, void (*reference)(benchmark::State &)) {
  const std::string prefix = std::string("poplibs_") + name;
  benchmark::RegisterBenchmark(
      (prefix + "/subject").c_str(),
      [operation = std::move(operation)](benchmark::State &s) { time(s, operation); })
      ->MeasureProcessCPUTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark((prefix + "/reference").c_str(), reference)
      ->MeasureProcessCPUTime()
      ->Unit(benchmark::kMillisecond);
}

} // namespace copse::bench
