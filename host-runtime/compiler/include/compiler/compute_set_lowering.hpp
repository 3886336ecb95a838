#pragma once

#include "compiler/memory_layout.hpp"
#include "compiler/memory_rules.hpp"
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

class MemoryRecorder;

/// What stands for the estimate of a vertex whose code counts its cycles as it runs.
inline constexpr std::uint64_t kCountedByCode = ~std::uint64_t{0};

/// Worker cycles of one vertex, where someone has given an estimate; or kCountedByCode.
using CycleEstimate = std::function<std::optional<std::uint64_t>(std::uint32_t vertex)>;

/// The steps that Execute(cs) stands for: what to exchange into buffers, the compute set, what to
/// exchange back.
struct LoweredComputeSet {
  std::optional<std::uint32_t> before, after; ///< index of the exchange, the same on every IPU
  bool beforeExternal = false, afterExternal = false;
};

class NameList;

/// Lowers all compute sets. An edge whose elements lie on the vertex's own tile, contiguous and
/// aligned, points straight at them; any other edge gets a buffer there that is filled before the
/// compute set runs (Input, InOut) and drained after it (Output, InOut). The buffers share
/// memory with whatever is not live while their compute set runs. There is a buffer, too, where the
/// elements lie against the rules of the vertex type (memory_rules.hpp), which buffers obey.
///
/// Life: construct (lays states out and reserves their memory); placeBuffers(), once variables have
/// their places; then, once all of tile memory is known to fit, emit().
class ComputeSetLowering {
public:
  ComputeSetLowering(const graph::Model &model, const VertexIndex &index,
                     const Placement &placement, const MemoryRules &rules,
                     TileAllocator &allocator);

  /// Decides for each edge whether it needs a buffer, and places the buffers.
  void placeBuffers(const Liveness &liveness, MemorySharing &sharing);

  /// Tells \p recorder where states and buffers lie, and which variables each compute set works on.
  /// \returns what the states of each vertex type take; shape [vertex types]
  std::vector<VertexBytes> record(const Liveness &liveness, MemoryRecorder &recorder) const;

  /// Edges by where their data are.
  struct EdgeCounts {
    std::uint64_t inPlace = 0, buffered = 0, shared = 0; ///< shared: of those with a buffer
  };
  EdgeCounts countEdges() const;

  /// Adds compute sets, vertex states and exchanges to \p images, shape [ipus]; codelet functions
  /// are numbered as \p functionOf says (by vertex type).
  std::vector<LoweredComputeSet> emit(std::vector<wire::Image> &images,
                                      const std::vector<std::uint32_t> &functionOf,
                                      const CycleEstimate &estimate) const;

private:
  struct Binding {
    std::uint32_t address = 0; ///< of the data or the buffer; in bindEdge(), from the first buffer
    bool buffered = false;
    bool shared = false;     ///< another edge fills this buffer
    bool own = false;        ///< the buffer is no part of the compute set's: its address is final
    bool inPlace = false;    ///< bindInPlaceByRules() has bound it
    bool fromOthers = false; ///< some of the elements in the buffer lie on other tiles
  };
  struct State {
    std::uint32_t address = 0;
    StateLayout layout;
  };

  struct Buffers {
    std::uint64_t bytes = 0; ///< of the compute set in hand
    std::uint32_t address = 0;
  };

  void layOutStates(std::uint32_t computeSet, TileAllocator &allocator);
  void bindComputeSet(std::uint32_t computeSet, LiveRanges::Id range, MemorySharing &sharing);
  void bindEdge(std::uint32_t edge, LiveRanges::Id range, MemorySharing &sharing);
  bool bindInPlace(std::uint32_t edge, const Bounds &bounds);
  void bindInPlaceByRules(std::uint32_t edge);
  bool bindByRules(std::uint32_t edge, LiveRanges::Id range, MemorySharing &sharing);
  bool shareBuffer(std::uint32_t edge, std::uint64_t hash, const Bounds *bounds);
  Bounds boundsOf(std::uint32_t edge) const;
  bool isFromOthers(std::uint32_t edge);
  void noteBound(std::uint32_t edge);
  AddressRange bytesOf(std::uint32_t edge) const;
  wire::Region bufferOf(std::uint32_t edge) const;
  std::vector<std::byte> encodeState(std::uint32_t vertex) const;
  void encodeEdge(std::uint32_t edge, const State &state, std::vector<std::byte> &bytes) const;
  void encodeValue(const graph::FieldValue &value, const State &state,
                   std::vector<std::byte> &bytes) const;
  void encodeOuterPointers(std::uint32_t vertex, const State &state,
                           std::vector<std::byte> &bytes) const;
  void encodeList(std::uint32_t vertex, std::uint16_t field, const State &state,
                  std::vector<std::byte> &bytes) const;
  LoweredComputeSet emitExchanges(std::uint32_t computeSet, std::vector<wire::Image> &images) const;
  bool readsRegisters(std::uint32_t computeSet) const;
  std::vector<std::vector<wire::Region>> writtenBy(std::uint32_t computeSet) const;
  std::uint32_t cyclesOf(std::uint32_t vertex, std::optional<std::uint64_t> given) const;
  void emitVertices(std::uint32_t computeSet, std::vector<wire::Image> &images,
                    const std::vector<std::uint32_t> &functionOf, const CycleEstimate &estimate,
                    std::vector<NameList> &names) const;
  void emitGiven(std::uint32_t vertex, NameList &names, wire::CheckTables &checks) const;
  std::vector<std::uint32_t> byTile(std::uint32_t computeSet) const;
  void recordBuffers(std::uint32_t computeSet, LiveRanges::Id range,
                     MemoryRecorder &recorder) const;

  const graph::Model &model_;
  const Placement &placement_;
  const MemoryRules &rules_;
  const VertexIndex &index_;
  std::uint32_t memoryBase_;
  std::vector<Binding> bindings_;     ///< shape [edges]
  std::vector<State> states_;         ///< shape [vertices]
  std::vector<Buffers> buffers_;      ///< shape [tiles]
  std::vector<wire::Region> located_; ///< of the edge in hand
  std::unordered_multimap<std::uint64_t, std::uint32_t>
      inputBuffers_; ///< by hash of tile and runs: edges
  /// Of the vertex in hand, by field: where the edges are that are bound. Shape [fields].
  std::vector<std::vector<AddressRange>> bound_;
};

} // namespace copse::compiler
