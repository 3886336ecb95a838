#pragma once

#include "compiler/liveness.hpp"
#include "compiler/memory_rules.hpp"
#include "compiler/memory_sharing.hpp"
#include "compiler/placement.hpp"
#include "compiler/state_layout.hpp"
#include "compiler/tile_allocator.hpp"
#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace copse::compiler {

inline const popc::VertexType &typeOfVertex(const graph::Model &model, std::uint32_t vertex) {
  return model.vertexTypes[model.vertices[vertex].type];
}
inline const popc::Field &fieldOfEdge(const graph::Model &model, const graph::Edge &edge) {
  return typeOfVertex(model, edge.vertex).fields[edge.field];
}
inline std::span<const graph::Run> runsOfEdge(const graph::Model &model, const graph::Edge &edge) {
  return {model.runs.data() + edge.runs.first, edge.runs.count};
}

/// Where the state of each vertex lies, and where it finds the data of its edges. An edge whose
/// elements lie on the vertex's own tile, contiguous and aligned, points straight at them; any other
/// edge gets a buffer there that is filled before the compute set runs (Input, InOut) and drained
/// after it (Output, InOut). The buffers share memory with whatever is not live while their compute
/// set runs. There is a buffer, too, where the elements lie against the rules of the vertex type
/// (memory_rules.hpp), which buffers obey.
///
/// Life: construct (lays states out and reserves their memory); placeBuffers(), once variables have
/// their places; then all addresses are final.
class VertexMemory {
public:
  VertexMemory(const graph::Model &model, const VertexIndex &index, const Placement &placement,
               const MemoryRules &rules, TileAllocator &allocator);

  /// Decides for each edge whether it needs a buffer, and places the buffers.
  void placeBuffers(const Liveness &liveness, MemorySharing &sharing);

  struct State {
    std::uint32_t address = 0;
    StateLayout layout;
  };
  const State &state(std::uint32_t vertex) const { return states_[vertex]; }

  struct Binding {
    std::uint32_t address = 0; ///< of the data or the buffer; in bindEdge(), from the first buffer
    bool buffered = false;
    bool shared = false;     ///< another edge fills this buffer
    bool own = false;        ///< the buffer is no part of the compute set's: its address is final
    bool inPlace = false;    ///< bindInPlaceByRules() has bound it
    bool fromOthers = false; ///< some of the elements in the buffer lie on other tiles
    bool ownsBuffer() const { return buffered && !shared; }
  };
  const Binding &binding(std::uint32_t edge) const { return bindings_[edge]; }
  /// Returns where the vertex finds the data of \p edge.
  wire::Region dataOf(std::uint32_t edge) const;

  /// Edges by where their data are.
  struct EdgeCounts {
    std::uint64_t inPlace = 0, buffered = 0, shared = 0; ///< shared: of those with a buffer
  };
  EdgeCounts countEdges() const;

  /// The lowest address of a tile's memory, from which some pointers count.
  std::uint32_t base() const { return memoryBase_; }

private:
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
