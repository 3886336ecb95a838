#pragma once

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace poplin {

/// Adds a constant of \p count numbers from \p left to \p right, evenly spaced, both included.
/// \param type  FLOAT or HALF
/// \returns shape [count]
/// \throws poplar::poplar_error for another type
poplar::Tensor linspace(poplar::Graph &graph, const poplar::Type &type, float left, float right,
                        std::size_t count, const poplar::DebugContext &debugContext = {});

/// Returns views of shape [len(y), len(x)]: the first has x along its rows, the second y along its
/// columns.
/// \throws poplar::poplar_error unless both are vectors of one type
std::vector<poplar::Tensor> meshgrid2d(poplar::Graph &graph, poplar::Tensor x, poplar::Tensor y);

} // namespace poplin
