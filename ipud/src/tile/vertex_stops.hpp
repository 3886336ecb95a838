#pragma once

#include <cstddef>
#include <cstdint>

namespace copse::ipud {

/// One call of a vertex; for a MultiVertex, the call of one worker.
struct VertexCall {
  std::uint32_t tile = 0;
  std::uint32_t vertex = 0; ///< index in Vertices::set
  std::uint32_t worker = 0;
  std::byte *slot = nullptr; ///< address 0 of the tile's memory
};

/// Stops vertices before they begin. While a VertexStops is installed, compute sets run on one
/// thread.
class VertexStops {
public:
  virtual ~VertexStops() = default;
  /// Returns when the vertex may begin.
  virtual void enter(const VertexCall &call) = 0;
};

} // namespace copse::ipud
