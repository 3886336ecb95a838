#pragma once

#include "compiler/placement.hpp"
#include "compiler/state_layout.hpp"
#include "compiler/tile_allocator.hpp"
#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"

#include "wire/image.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace copse::compiler {

/// Worker cycles of one vertex, where someone has given an estimate.
using CycleEstimate = std::function<std::optional<std::uint64_t>(std::uint32_t vertex)>;

/// The steps that Execute(cs) stands for: what to exchange into buffers, the compute set, what to
/// exchange back.
struct LoweredComputeSet {
  std::optional<std::uint32_t> before, after; ///< index of the exchange, the same on every IPU
  bool beforeExternal = false, afterExternal = false;
};

/// Lowers all compute sets. An edge whose elements lie on the vertex's own tile, contiguous and
/// aligned, points straight at them; any other edge gets a buffer there that is filled before the
/// compute set runs (Input, InOut) and drained after it (Output, InOut). Buffers of different
/// compute sets share memory.
///
/// Life: construct (lays states out and reserves memory), then, once all of tile memory is known to
/// fit, emit().
class ComputeSetLowering {
public:
  ComputeSetLowering(const graph::Model &model, const Placement &placement,
                     TileAllocator &allocator);

  /// Reserves the buffers: the last allocation of all, since they overlay each other.
  void reserveBuffers(TileAllocator &allocator);

  /// Adds compute sets, vertex states and exchanges to \p images, shape [ipus]; codelet functions
  /// are numbered as \p functionOf says (by vertex type).
  std::vector<LoweredComputeSet> emit(std::vector<wire::Image> &images,
                                      const std::vector<std::uint32_t> &functionOf,
                                      const CycleEstimate &estimate) const;

private:
  struct Binding {
    std::uint32_t address = 0; ///< direct: of the data; else offset in the tile's buffer area
    bool buffered = false;
    bool shared = false; ///< another edge fills this buffer
  };
  struct State {
    std::uint32_t address = 0;
    StateLayout layout;
  };

  void bindComputeSet(std::uint32_t computeSet);
  void bindEdge(std::uint32_t edge, std::vector<wire::Region> &scratch);
  std::uint32_t pointerOf(std::uint32_t edge) const;
  wire::Region bufferOf(std::uint32_t edge) const;
  std::vector<std::byte> encodeState(std::uint32_t vertex) const;
  void encodeEdge(std::uint32_t edge, const State &state, std::vector<std::byte> &bytes) const;
  void encodeValue(const graph::FieldValue &value, const State &state,
                   std::vector<std::byte> &bytes) const;
  void encodeOuterPointers(std::uint32_t vertex, const State &state,
                           std::vector<std::byte> &bytes) const;
  LoweredComputeSet emitExchanges(std::uint32_t computeSet, std::vector<wire::Image> &images) const;
  void emitVertices(std::uint32_t computeSet, std::vector<wire::Image> &images,
                    const std::vector<std::uint32_t> &functionOf,
                    const CycleEstimate &estimate) const;
  std::vector<std::uint32_t> byTile(std::uint32_t computeSet) const;

  const graph::Model &model_;
  const Placement &placement_;
  VertexIndex index_;
  std::uint32_t memoryBase_;
  std::vector<Binding> bindings_;          ///< shape [edges]
  std::vector<State> states_;              ///< shape [vertices]
  std::vector<std::uint64_t> bufferBytes_; ///< shape [tiles]: the most that one compute set needs
  std::vector<std::uint32_t> bufferBase_;  ///< shape [tiles]
  std::vector<std::uint64_t> bufferNow_;   ///< shape [tiles]: of the compute set in hand
  std::unordered_multimap<std::uint64_t, std::uint32_t>
      inputBuffers_; ///< by hash of tile and runs: edges
};

} // namespace copse::compiler
