#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/ProgramNames.hpp"
#include "poplar/Quarter.hpp"
#include "poplar/Tensor.hpp"

#include <type_traits>

namespace poplar {

class Graph;

// Metadata of tensors of quarters: QUARTER_METADATA, shape {}, on tile 0 until the caller maps it.

/// Adds constant metadata, on tile 0.
/// \returns QUARTER_METADATA, shape {}
Tensor createConstantMetadataTensor(Graph &graph, const QuarterMetadata &metadata,
                                    const DebugContext &debugContext = {});
/// Adds a variable that holds \p metadata after each Engine::load(); programs may change it.
/// \returns QUARTER_METADATA, shape {}, on tile 0
Tensor createVariableMetadataTensor(Graph &graph, const QuarterMetadata &metadata,
                                    const DebugContext &debugContext = {});
/// Adds a variable that \p prog sets, each time it runs, to \p format and the scale that \p scale
/// has then. A vertex on the variable's tile does so.
/// \param scale  one INT, SHORT or SIGNED_CHAR, -32 to 31; its lowest 6 bits count
/// \throws tensor_metadata_error if \p scale is something else
Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format,
                                    const Tensor &scale, program::Sequence &prog,
                                    const DebugContext &debugContext = {});

///@{

/// Adds metadata as above, given by parts. Libraries of SDK 2.6 and 3.0 define functions with these
/// names and arguments themselves. The libraries' functions are not templates, so overload
/// resolution prefers them where both are visible.
/// \throws tensor_metadata_error if there is no such scale
template <typename G, typename = typename std::enable_if<std::is_same<G, Graph>::value>::type>
Tensor createConstantMetadataTensor(G &graph, QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {}) {
  return createConstantMetadataTensor(graph, QuarterMetadata(format, scale), debugContext);
}
template <typename G, typename = typename std::enable_if<std::is_same<G, Graph>::value>::type>
Tensor createVariableMetadataTensor(G &graph, QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {}) {
  return createVariableMetadataTensor(graph, QuarterMetadata(format, scale), debugContext);
}
///@}

} // namespace poplar
