#include "trial.hpp"

#include <algorithm>
#include <chrono>

namespace copse::tools {

void Workload::addOptions(CLI::App &app, const std::string &repeated, int leastTiles) {
  app.add_option("--tiles", tiles, "number of tiles on each IPU")
      ->check(CLI::Range(leastTiles, 1472))
      ->capture_default_str();
  app.add_option("--iterations", iterations, "number of " + repeated)
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
}

Trial measure(const poplar::Device &device, const poplar::Graph &graph,
              const poplar::program::Program &program, poplar::OptionFlags options,
              const std::function<void(poplar::Engine &)> &connect) {
  options.set("debug.instrument", "true");
  options.set("autoReport.executionProfileProgramRunCount", "2");
  poplar::Engine engine(graph, program, options);
  if (connect)
    connect(engine);
  engine.load(device);
  engine.run();
  const auto begin = std::chrono::steady_clock::now();
  engine.run();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const poplar::ProfileValue profile = engine.getExecutionProfile();
  const poplar::ProfileValue &run = profile["runs"].asVector().at(1);
  Trial trial;
  trial.cycles = static_cast<double>(run["to"].asUint64() - run["from"].asUint64());
  trial.modelledSeconds = trial.cycles / graph.getTarget().getTileClockFrequency();
  trial.wallSeconds = wall.count();
  return trial;
}

poplar::Tensor addSpread(poplar::Graph &graph, std::size_t bytes, unsigned ipu, unsigned tiles,
                         const char *name) {
  const std::size_t elements = (bytes + 3) / 4;
  const poplar::Tensor tensor = graph.addVariable(poplar::UNSIGNED_INT, {elements}, name);
  const unsigned first = ipu * graph.getTarget().getTilesPerIPU();
  tiles = std::min(tiles, graph.getTarget().getTilesPerIPU());
  for (unsigned tile = 0; tile < tiles; ++tile)
    graph.setTileMapping(tensor.slice(elements * tile / tiles, elements * (tile + 1) / tiles),
                         first + tile);
  return tensor;
}

} // namespace copse::tools
