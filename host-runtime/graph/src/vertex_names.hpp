#pragma once

#include "graph/model.hpp"
#include "poplar/StringRef.hpp"

#include <string>

namespace copse::graph {

/// Returns the name without the blanks that users write after commas and before '>':
/// "ns::Name<float,unsigned int>".
std::string normalisedVertexName(poplar::StringRef name);

/// \throws poplar::unknown_vertex_type
std::uint32_t vertexTypeIndex(const Model &model, poplar::StringRef name);

/// \throws poplar::unknown_vertex_type, poplar::unknown_field
const popc::Field &fieldOf(const Model &model, poplar::StringRef vertexType,
                           poplar::StringRef field);

} // namespace copse::graph
