#pragma once

#include <cstdint>
#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <string>

namespace poprand {

/// Checks a seed.
/// \throws poputil::poplibs_error unless it is UNSIGNED_INT of shape {2}
void checkSeed(const char *function, const poplar::Tensor &seed);

/// How a vertex draws, and what it costs.
struct Drawing {
  const poplar::Tensor *seed;
  std::uint32_t modifier;
  unsigned cyclesForFour; ///< instructions of a worker for four elements
};

/// Connects the fields that all vertices that draw have: `seed`, `modifier` and `stream`; maps the
/// vertex to its tile and sets its cycle estimate.
void connectDrawing(poplar::Graph &graph, poplar::VertexRef v, const Drawing &drawing,
                    unsigned tile, std::size_t elements);

} // namespace poprand
