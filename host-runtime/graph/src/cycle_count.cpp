#include "program_checks.hpp"

#include "graph/access.hpp"
#include "graph/state.hpp"
#include "poplar/CycleCount.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace poplar {

namespace {

program::Program readClock(const Tensor &tensor, bool difference,
                           const DebugContext &debugContext) {
  program::Program program;
  copse::graph::Access::node(program) = copse::graph::newNode(
      copse::graph::kind::ReadClock{copse::graph::typedView(tensor), difference}, debugContext);
  return program;
}

} // namespace

Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile, SyncType sync,
                  const DebugContext &debugContext) {
  const Tensor count = graph.addVariable(UNSIGNED_INT, {2}, debugContext);
  graph.setTileMapping(count, tile);
  program::Sequence counted;
  counted.add(program::Sync(sync, debugContext));
  counted.add(readClock(count, false, debugContext));
  counted.add(prog);
  counted.add(program::Sync(sync, debugContext));
  counted.add(readClock(count, true, debugContext));
  prog = counted;
  return count;
}

} // namespace poplar
