#pragma once

#include <optional>
#include <poplar/Graph.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>

namespace copse::tile_work {

/// Returns the unsigned type as large as \p type, for vertices that only move elements; none if an
/// element has neither 1, 2 nor 4 bytes.
inline std::optional<poplar::Type> elementBits(const poplar::Graph &graph,
                                               const poplar::Type &type) {
  switch (graph.getTarget().getTypeSize(type)) {
  case 1:
    return poplar::UNSIGNED_CHAR;
  case 2:
    return poplar::UNSIGNED_SHORT;
  case 4:
    return poplar::UNSIGNED_INT;
  default:
    return std::nullopt;
  }
}

} // namespace copse::tile_work
