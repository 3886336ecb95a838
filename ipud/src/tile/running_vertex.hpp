#pragma once

#include "tile/vertices.hpp"

#include <atomic>
#include <cstdint>
#include <optional>

namespace copse::ipud {

/// Which vertex a thread runs, and on which worker.
///
/// Thread: written by the thread that calls vertices; its signal handlers read it, too.
struct RunningVertex {
  /// Native code that tile code has started or called.
  struct Started {
    std::uint32_t function, worker;
  };

  const Vertices *vertices = nullptr;
  const wire::TileVertices *run = nullptr; ///< of the tile
  std::uint32_t tile = 0;
  std::atomic<const wire::VertexRecord *> vertex{nullptr};
  std::atomic<std::uint32_t> worker{0}; ///< of a MultiVertex, or of `started`
  std::optional<Started> started;       ///< while it runs

  /// Vertices are dealt to the workers in order; a MultiVertex runs on all.
  std::uint32_t currentWorker() const {
    if (started)
      return started->worker;
    const auto *const at = vertex.load(std::memory_order_relaxed);
    if (vertices->functions[at->function].multiVertex)
      return worker.load(std::memory_order_relaxed);
    const auto number = static_cast<std::uint32_t>(at - vertices->set.vertices.data());
    return (number - run->first) % vertices->memory.geometry().workers;
  }
};

} // namespace copse::ipud
