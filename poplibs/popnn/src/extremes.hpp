#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <utility>

namespace popnn {

/// Returns the first largest or smallest of each row of \p input, [rows][columns], and its index.
std::pair<poplar::Tensor, poplar::Tensor> extremes(const char *function, poplar::Graph &graph,
                                                   const poplar::Tensor &input, bool largest,
                                                   poplar::program::Sequence &prog,
                                                   const poplar::DebugContext &debugContext);

} // namespace popnn
