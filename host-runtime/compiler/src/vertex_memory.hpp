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

/// The addresses of vertex states and of the data of edges.
///
/// An edge whose elements are on the vertex's own tile, contiguous and aligned, points at them
/// directly. Any other edge gets a buffer on that tile, which is filled before the compute set runs
/// (Input, InOut) and drained after it (Output, InOut). Buffers share memory with everything that
/// is not live while their compute set runs. An edge also gets a buffer if its elements violate the
/// rules of the vertex type (memory_rules.hpp), which buffers obey.
///
/// Life: construct, which lays out states and reserves their memory; place variables; then call
/// placeBuffers(). All addresses are final afterwards.
class VertexMemory {
public:
  VertexMemory(const graph::Model &model, const VertexIndex &index, const Placement &placement,
               const MemoryRules &rules, TileAllocator &allocator);

  /// Decides which edges need a buffer, and places the buffers.
  void placeBuffers(const Liveness &liveness, MemorySharing &sharing);

  struct State {
    std::uint32_t address = 0;
    StateLayout layout;
  };
  const State &state(std::uint32_t vertex) const { return states_[vertex]; }

  struct Binding {
    /// Address of data or buffer; in bindEdge(), relative to the first buffer.
    std::uint32_t address = 0;
    bool buffered = false;
    bool shared = false;  ///< another edge fills this buffer
    bool own = false;     ///< the buffer is separate from the compute set's: its address is final
    bool inPlace = false; ///< bound by bindInPlaceByRules()
    bool fromOthers = false; ///< some elements in the buffer are on other tiles
    bool ownsBuffer() const { return buffered && !shared; }
  };
  const Binding &binding(std::uint32_t edge) const { return bindings_[edge]; }
  /// Returns the data of \p edge as the vertex sees them.
  wire::Region dataOf(std::uint32_t edge) const;

  /// The numbers of edges by the location of their data.
  struct EdgeCounts {
    std::uint64_t inPlace = 0, buffered = 0, shared = 0; ///< `shared` is included in `buffered`
  };
  EdgeCounts countEdges() const;

  /// Returns the lowest address of a tile's memory, the origin of some pointers.
  std::uint32_t base() const { return memoryBase_; }

private:
  struct Buffers {
    std::uint64_t bytes = 0; ///< buffer bytes of the current compute set
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
  std::vector<wire::Region> located_; ///< regions of the current edge
  /// Edges by hash of tile and runs.
  std::unordered_multimap<std::uint64_t, std::uint32_t> inputBuffers_;
  /// For the current vertex, the ranges of bound edges by field. Shape [fields].
  std::vector<std::vector<AddressRange>> bound_;
};

} // namespace copse::compiler
