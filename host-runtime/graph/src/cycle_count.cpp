#include "graph/access.hpp"
#include "graph/state.hpp"
#include "poplar/CycleCount.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace poplar {

namespace {

program::Program readClock(const Tensor &tensor, bool difference,
                           const DebugContext &debugContext) {
  auto node = std::make_shared<copse::graph::ProgramNode>();
  node->kind = copse::graph::ProgramNode::Kind::ReadClock;
  node->name = debugContext.getPathName();
  node->destination = copse::graph::typedView(tensor);
  node->flag = difference;
  program::Program program;
  copse::graph::Access::node(program) = std::move(node);
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
