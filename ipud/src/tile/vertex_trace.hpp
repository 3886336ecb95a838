#pragma once

#include "processor/tile_processor.hpp"

#include "wire/image.hpp"

namespace copse::ipud {

/// Sees the vertices of tile instructions and all that they execute. While there is one, compute
/// sets run on one thread.
class VertexTrace : public TraceSink {
public:
  /// Whether vertices of \p tile are of interest. Others run at full speed.
  virtual bool wants(std::uint32_t tile) const = 0;
  /// A vertex of \p tile begins: issue() is about it until leave().
  virtual void enter(std::uint32_t tile, const wire::VertexRecord &vertex) = 0;
  /// It has ended, after \p cycles [tile cycles]. Not called for one that faults.
  virtual void leave(std::uint64_t cycles) = 0;
};

} // namespace copse::ipud
