#include "graph/access.hpp"
#include "graph/register_variables.hpp"
#include "poplar/RandomSeed.hpp"

namespace poplar {

using copse::graph::RegisterVariables;

namespace {

constexpr std::uint32_t kWordsPerWorker = 4;

std::uint32_t workersOf(const Graph &graph) {
  return copse::graph::targetOf(graph).getNumWorkerContexts();
}

/// Returns seeds that differ on every worker and are never all zero: steps of a Weyl sequence,
/// whose increment is odd.
std::vector<std::uint32_t> firstSeeds(std::size_t words) {
  std::vector<std::uint32_t> seeds(words);
  std::uint32_t next = 0;
  for (std::uint32_t &seed : seeds)
    seed = next += 0x9E3779B9;
  return seeds;
}

RegisterVariables seedsOf(Graph &graph) {
  const std::uint32_t words = workersOf(graph) * kWordsPerWorker;
  return RegisterVariables(graph, copse::graph::kSeedRegisters, words,
                           firstSeeds(std::size_t{words} * RegisterVariables::allTiles(graph)));
}

} // namespace

Tensor getHwSeeds(Graph &graph, program::Sequence &prog, const DebugContext &debugContext) {
  return seedsOf(graph)
      .read(prog, debugContext)
      .reshapePartial(1, 2, {workersOf(graph), kWordsPerWorker});
}

void setHwSeeds(Graph &graph, const Tensor &seeds, program::Sequence &prog,
                const DebugContext &debugContext) {
  const std::vector<std::size_t> shape = {graph.getTarget().getNumTiles(), workersOf(graph),
                                          kWordsPerWorker};
  if (seeds.elementType() != UNSIGNED_INT || seeds.shape() != shape) {
    throw poplar_error("setHwSeeds: expected UNSIGNED_INT of shape {tiles, workers, 4}, given " +
                       seeds.elementType().toString() + " of shape " + seeds.shapeToString());
  }
  seedsOf(graph).write(prog, seeds, debugContext);
}

} // namespace poplar
