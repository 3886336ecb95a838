#pragma once

#include "snap/Graph.hpp"
#include "snap/Program.hpp"

#include <popir/CompiledGraph.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Executable.hpp>
#include <poplar/OptionFlags.hpp>
#include <utility>
#include <vector>

namespace snap {

/// Calls poplar::compileGraph(), which defines the parameters and errors.
inline popir::CompiledGraph compileGraph(const Graph &graph,
                                         const std::vector<program::Program> &programs,
                                         const poplar::OptionFlags &options = {},
                                         poplar::ProgressFunc progress = poplar::ProgressFunc(),
                                         const poplar::DebugContext &debugContext = {}) {
  const std::vector<poplar::program::Program> plain(programs.begin(), programs.end());
  return popir::CompiledGraph(poplar::compileGraph(graph.getPoplarGraph(), plain, options,
                                                   std::move(progress), debugContext));
}

} // namespace snap
