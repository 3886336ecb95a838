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

/// The requirements of vertices for where data lie in a tile's memory: in interleaved elements
/// (guide, 4.1), or in other elements or another region than other data (guide, 3.2.2 and 7.2).
/// Tile instructions depend on them. Native codelets do not, but they get them as far as memory
/// suffices, so that they occupy memory as on the chip. CPU targets have no elements and hence no
/// rules.
///
/// Life: construct; then call bounds() and placed() for each block of a variable with rules.
class MemoryRules {
public:
  /// \param homes  shape [variables]: the variable whose memory each one uses, see Liveness; must
  ///   outlive the rules
  MemoryRules(const graph::Model &model, const VertexIndex &index,
              const std::vector<graph::VariableId> &homes);

  /// The part of a variable on one tile.
  using Block = std::uint32_t;

  /// Returns true if there are rules about the variable on any tile.
  bool concern(graph::VariableId variable) const {
    return variable < concerned_.size() && concerned_[variable];
  }
  /// Returns nothing if there are no rules about the block.
  std::optional<Block> find(graph::VariableId variable, GlobalTile tile) const;
  /// Returns where the block may lie, given the blocks that have been placed.
  Bounds bounds(Block block) const;
  void placed(Block block, AddressRange where) { blocks_[block].where = where; }

  // For the edges of one vertex type

  /// Returns true if there are rules about the data of \p field.
  bool concern(std::uint32_t vertexType, std::uint16_t field) const;
  /// Returns true if the code of the vertex type depends on its rules.
  bool binding(std::uint32_t vertexType) const { return types_[vertexType].binding; }
  /// Returns the lowest address that data of \p field may have.
  std::uint32_t lowest(std::uint32_t vertexType, std::uint16_t field) const;
  /// Returns the pairs with \p field as the first: its data must be kept apart from the second's.
  std::vector<popc::FieldsApart> apartFrom(std::uint32_t vertexType, std::uint16_t field) const;
  /// Returns the addresses to avoid for data that must be kept apart from \p range: all elements
  /// (or regions) that a loop over \p range accesses, and the bytes before them from which another
  /// loop would read ahead into them.
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
  /// The requirements of a vertex type.
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
  std::unordered_set<std::uint64_t> known_;          ///< pairs already seen by keepApart()
};

} // namespace copse::compiler
