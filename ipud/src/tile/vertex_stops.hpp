#pragma once

#include <cstddef>
#include <cstdint>

namespace copse::ipud {

/// One call of a vertex: all of it, or what one worker has of a MultiVertex.
struct VertexCall {
  std::uint32_t tile = 0;
  std::uint32_t vertex = 0; ///< its number in Vertices::set
  std::uint32_t worker = 0;
  std::byte *slot = nullptr; ///< address 0 of the tile's memory
};

/// Hears of each call of a vertex before it begins. While there is one, compute sets run on one thread.
class VertexStops {
public:
  virtual ~VertexStops() = default;
  /// Returns when the vertex may begin.
  virtual void enter(const VertexCall &call) = 0;
};

} // namespace copse::ipud
