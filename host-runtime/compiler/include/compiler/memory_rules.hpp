#pragma once

#include "isa/memory_map.hpp"

#include "compiler/memory_sharing.hpp"
#include "compiler/tile_allocator.hpp"
#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"
#include "popc/constraints.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace copse::compiler {

/// What vertices ask of where data lie within a tile's memory: in interleaved elements (guide,
/// 4.1), or in other elements or another region than something else (guide, 3.2.2 and 7.2). Tile
/// instructions must have that. Native codelets would do as well without, but what they take of
/// memory is to be what the chip's take: they get it as far as memory suffices. CPU targets have no
/// elements, hence no rules.
///
/// Life: construct; then, for each block of a variable that has rules, bounds() and placed().
class MemoryRules {
public:
  /// \param homes  shape [variables]: the one in whose memory each lies, see Liveness; must outlive
  /// the rules
  MemoryRules(const graph::Model &model, const VertexIndex &index,
              const std::vector<graph::VariableId> &homes);

  /// The part of a variable that lies on one tile.
  using Block = std::uint32_t;

  /// Whether there are rules about the variable on any tile.
  bool concern(graph::VariableId variable) const {
    return variable < concerned_.size() && concerned_[variable];
  }
  /// Nothing if there are no rules about it.
  std::optional<Block> find(graph::VariableId variable, GlobalTile tile) const;
  /// Where the block may lie, now that others have their places.
  Bounds bounds(Block block) const;
  void placed(Block block, AddressRange where) { blocks_[block].where = where; }

  // Of the edges of one vertex type.

  /// Whether there are rules about the data of \p field.
  bool concern(std::uint32_t vertexType, std::uint16_t field) const;
  /// Whether the code of the vertex type cannot do without what they say.
  bool binding(std::uint32_t vertexType) const { return types_[vertexType].binding; }
  /// The lowest address that data of \p field may have.
  std::uint32_t lowest(std::uint32_t vertexType, std::uint16_t field) const;
  /// Pairs of which \p field is the first: its data must be kept apart from those of the second.
  std::vector<popc::FieldsApart> apartFrom(std::uint32_t vertexType, std::uint16_t field) const;
  /// Where nothing may lie that is kept apart from a range of addresses: all elements, or all of the
  /// regions, that a loop over the range touches, and the bytes before them from which another loop
  /// would read ahead into them.
  AddressRange around(AddressRange range, bool regions) const;

private:
  struct Rule {
    Block other;
    bool regions;
  };
  struct BlockRules {
    bool interleaved = false, binding = false;
    std::vector<Rule> apart;
    std::optional<AddressRange> where;
  };
  /// What a vertex type asks for.
  struct TypeRules {
    bool any = false, binding = false;
    std::vector<popc::FieldsApart> apart;
  };
  void readTypes();
  void readVertex(const VertexIndex &index, std::uint32_t vertex);
  std::optional<Block> blockOf(const graph::Edge &edge);
  void keepApart(Block a, Block b, bool regions);
  bool interleaved(std::uint32_t vertexType, std::uint16_t field) const;
  bool mentions(const TypeRules &rules, std::uint16_t field) const;

  const graph::Model &model_;
  const std::vector<graph::VariableId> &homes_;
  isa::MemoryMap map_;
  std::vector<TypeRules> types_; ///< shape [vertex types]
  std::vector<bool> concerned_;  ///< shape [variables], or empty
  std::vector<BlockRules> blocks_;
  std::unordered_map<std::uint64_t, Block> blockAt_; ///< by variable and tile
  std::unordered_set<std::uint64_t> known_;          ///< pairs that keepApart() has seen
};

} // namespace copse::compiler
