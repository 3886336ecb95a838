#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Quarter.hpp"
#include "poplar/Tensor.hpp"

namespace poplar {

class Graph;

// Metadata of tensors of quarters: QUARTER_METADATA, shape {}, on tile 0 until the caller maps it.

/// \throws tensor_metadata_error if there is no such scale
Tensor createConstantMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});
Tensor createConstantMetadataTensor(Graph &graph, const QuarterMetadata &metadata,
                                    const DebugContext &debugContext = {});
/// A variable that holds them after each Engine::load; programs may change it.
Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});
Tensor createVariableMetadataTensor(Graph &graph, const QuarterMetadata &metadata,
                                    const DebugContext &debugContext = {});

} // namespace poplar
