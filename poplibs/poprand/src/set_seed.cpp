#include "poprand/RandomGen.hpp"
#include "vertices.hpp"

#include <poplar/RandomSeed.hpp>
#include <tile_work/codelet_groups.hpp>

namespace poprand {

void setSeed(poplar::Graph &graph, const poplar::Tensor &masterSeed, std::uint32_t seedModifier,
             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  checkSeed("setSeed", masterSeed);
  copse::tile_work::addCodeletGroup(graph, "poprand", "seeds", "poprand::SeedWorkers");
  const poplar::Target &target = graph.getTarget();
  const unsigned tiles = target.getNumTiles(), workers = target.getNumWorkerContexts();
  const poplar::Tensor seeds =
      graph.addVariable(poplar::UNSIGNED_INT, {tiles, workers, 4}, {debugContext, "seeds"});
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "setSeed"});
  for (unsigned tile = 0; tile != tiles; ++tile) {
    graph.setTileMapping(seeds[tile], tile);
    const auto v = graph.addVertex(cs, "poprand::SeedWorkers",
                                   {{"masterSeed", masterSeed}, {"seeds", seeds[tile].flatten()}});
    graph.setInitialValue(v["modifier"], seedModifier);
    graph.setInitialValue(v["stream"], tile * workers);
    graph.setTileMapping(v, tile);
    graph.setPerfEstimate(v, 40);
  }
  prog.add(poplar::program::Execute(cs, {debugContext, "setSeed"}));
  poplar::setHwSeeds(graph, seeds, prog, {debugContext, "setSeed"});
}

} // namespace poprand
