#pragma once

#include "tile/tile_addresses.hpp"
#include "tile/vertices.hpp"

#include <atomic>
#include <cstdint>
#include <optional>

namespace copse::ipud {

/// The vertex that a thread runs, and its worker.
///
/// Thread: written by the thread that calls vertices, and read also by its signal handlers.
struct RunningVertex {
  /// Native code that tile code has started or called.
  struct Started {
    std::uint32_t function, worker;
    std::uint32_t vertexBase; ///< tile address, or TileAddresses::kVariables and above
  };

  const Vertices *vertices = nullptr;
  const wire::TileVertices *run = nullptr; ///< vertices of the tile
  std::uint32_t tile = 0;
  std::atomic<const wire::VertexRecord *> vertex{nullptr};
  std::atomic<std::uint32_t> worker{0}; ///< for a MultiVertex, or for `started`
  std::optional<Started> started;       ///< while it runs
  /// For a supervisor in C++ while it runs: the end of its frames on the thread's stack.
  std::uintptr_t supervisorStack = 0;

  TileAddresses addresses() const {
    return TileAddresses(reinterpret_cast<std::uintptr_t>(vertices->memory.at(tile, 0)),
                         supervisorStack);
  }
  /// Returns what the running code finds in $mvertex_base.
  std::uint32_t vertexBase() const {
    return started ? started->vertexBase : vertex.load(std::memory_order_relaxed)->address;
  }

  /// Returns the current worker. Vertices are assigned to workers in order; a MultiVertex runs on
  /// all.
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
