#pragma once

#include "processor/tile_processor.hpp"

#include "wire/image.hpp"

namespace copse::ipud {

/// Observes the vertices of tile instructions and everything that they execute. While a VertexTrace
/// is installed, compute sets run on one thread.
class VertexTrace : public TraceSink {
public:
  /// Returns true if vertices of \p tile are to be traced. Others run at full speed.
  virtual bool wants(std::uint32_t tile) const = 0;
  /// Begins a vertex of \p tile; issue() refers to it until leave().
  virtual void enter(std::uint32_t tile, const wire::VertexRecord &vertex) = 0;
  /// Ends the vertex after \p cycles [tile cycles]. Not called if the vertex faults.
  virtual void leave(std::uint64_t cycles) = 0;
};

} // namespace copse::ipud
