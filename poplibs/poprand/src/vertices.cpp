#include "vertices.hpp"

#include <poputil/exceptions.hpp>
#include <tile_work/worker_cycles.hpp>

namespace poprand {

void checkSeed(const char *function, const poplar::Tensor &seed) {
  if (seed.elementType() != poplar::UNSIGNED_INT || seed.rank() != 1 || seed.numElements() != 2)
    throw poputil::poplibs_error(
        std::string(function) + ": the seed must be UNSIGNED_INT of shape {2}, not " +
        seed.elementType().toString() + " of shape " + seed.shapeToString());
}

void connectDrawing(poplar::Graph &graph, poplar::VertexRef v, const Drawing &drawing,
                    unsigned tile, std::size_t elements) {
  const poplar::Target &target = graph.getTarget();
  if (drawing.seed != nullptr)
    graph.connect(v["seed"], *drawing.seed);
  else
    graph.connect(v["seed"], graph.addVariable(poplar::UNSIGNED_INT, {0}));
  graph.setInitialValue(v["modifier"], drawing.modifier);
  graph.setInitialValue(v["stream"], tile * target.getNumWorkerContexts());
  graph.setTileMapping(v, tile);
  const auto share = copse::tile_work::largestWorkerShare(target, elements, 8);
  graph.setPerfEstimate(
      v, copse::tile_work::workerCycles(target, copse::tile_work::kVertexInstructions +
                                                    (drawing.seed != nullptr ? 20 : 0) +
                                                    share / 4 * drawing.cyclesForFour));
}

} // namespace poprand
