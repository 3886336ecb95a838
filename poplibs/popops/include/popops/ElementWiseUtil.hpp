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
/// The output is a clone of the writable input that is spread best: first the fewest elements on
/// the fullest tile, then the most tiles, then the fewest regions. Without a writable input, it is
/// mapped linearly.
/// \throws poputil::poplibs_error if there are no inputs or their shapes differ
poplar::Tensor createOutputForElementWiseOp(poplar::Graph &graph,
                                            const std::vector<poplar::Tensor> &inputs,
                                            const poplar::Type &outputType,
                                            const poplar::DebugContext &debugContext = {});

} // namespace popops
