#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <vector>

namespace popops {

/// Adds a variable for the result of an operation on elements of \p inputs, which all have its
/// shape.
///
/// It is a clone of the input that is spread best, of those that can be written: first the fewest
/// elements on the fullest tile, then the most tiles, then the fewest regions. If there is none, it
/// is mapped linearly.
/// \throws poputil::poplibs_error if there are no inputs or their shapes differ
poplar::Tensor createOutputForElementWiseOp(poplar::Graph &graph,
                                            const std::vector<poplar::Tensor> &inputs,
                                            const poplar::Type &outputType,
                                            const poplar::DebugContext &debugContext = {});

} // namespace popops
