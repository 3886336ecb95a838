#pragma once

#include "tile/codelet_context.hpp"

#include <cstdint>

namespace copse::ipud {

/// Calls vertices of tile instructions in the interpreter.
///
/// Thread: the thread of its context.
class TileCodeCaller {
public:
  explicit TileCodeCaller(CodeletContext &context) : context_(context) {}

  /// Runs the current vertex on workers [firstWorker, firstWorker + workers) of its tile; a
  /// supervisor vertex launches its own workers.
  /// \param number  number of the vertex in Vertices::set
  /// \returns AND of the workers' results
  /// \throws LeftCodelet, or what native code throws that the vertex started
  bool call(std::uint32_t number, std::uint32_t firstWorker, std::uint32_t workers);

private:
  bool interpret(std::uint32_t number, std::uint32_t firstWorker, std::uint32_t workers);
  TileProcessor::Result execute(const wire::VertexRecord &vertex, std::uint32_t firstWorker,
                                std::uint32_t workers);

  CodeletContext &context_;
};

} // namespace copse::ipud
