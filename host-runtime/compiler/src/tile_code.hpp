#pragma once

#include "assembler/linker.hpp"
#include "compiler/compile.hpp"
#include "compiler/tile_allocator.hpp"
#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace copse::compiler {

class MemoryRecorder;

/// Returns true if a vertex type is C++ that runs on the supervisor and may start workers.
bool startsWorkers(const graph::Model &model, std::uint32_t vertexType);

/// The linked tile code of a program: the entry points of its external vertices, and code that its
/// supervisors in C++ start.
///
/// All code is at the bottom of tile memory, in memory elements of its own (a load from an element
/// in which code runs is a conflict), followed by the stacks. A section has one address. A tile is
/// loaded with the sections that its vertices need, but every tile with code reserves the whole
/// address range, so that an entry point has one address in all images. Codelets in C++ that tile
/// code starts are native: they have addresses where no tile has memory (wire::kNativeEntries).
class TileCode {
public:
  /// \throws poplar::link_error if an entry, a symbol that it uses or a stack size is missing
  TileCode(const graph::Model &model, const VertexIndex &index, const TargetMemory &memory);

  bool isEmpty() const { return code_.entries.empty(); }
  /// Reserves the range on all tiles that need it; must be the first allocation.
  void reserve(TileAllocator &allocator) const;
  /// Records the addresses of code and stacks on the tiles with code.
  void record(MemoryRecorder &recorder) const;
  /// Returns how to call a vertex type with tile code.
  wire::CodeletFunction functionOf(std::uint32_t vertexType) const;
  /// Returns the address at which tile code starts a vertex type in C++; 0 if it does not.
  std::uint32_t nativeEntryOf(std::uint32_t vertexType) const;

  /// A function in C++ that tile code calls.
  struct CalledFunction {
    std::string symbol;
    std::uint32_t module; ///< index in the model
    std::uint32_t entry;  ///< address at which tile code calls it
  };
  const std::vector<CalledFunction> &calledFunctions() const { return functions_; }
  /// Adds code, its symbols and lines, and the stacks.
  void emit(std::vector<wire::Image> &images) const;

private:
  /// Returns true if vertices of this type put code on their tiles.
  bool isInvolved(std::uint32_t vertexType) const;
  void linkEntries();
  void layOutStacks();
  void findTiles(const VertexIndex &index);
  std::uint32_t reservedOn(std::size_t tile) const;
  wire::CodeSection sectionFor(const assembler::LinkedSection &linked, wire::Image &image) const;

  const graph::Model &model_;
  const TargetMemory &memory_;
  std::vector<std::uint32_t> types_;   ///< used vertex types that are involved, ascending
  std::vector<std::uint32_t> entryOf_; ///< shape [vertex types]: index into code_.entries
  assembler::LinkedCode code_;
  std::map<std::uint32_t, std::uint32_t> natives_; ///< vertex type in C++ -> its address
  std::vector<CalledFunction> functions_;          ///< ascending by entry
  std::vector<std::uint32_t> stacks_;
  std::uint32_t end_ = 0;                        ///< end of the stacks
  std::vector<std::vector<GlobalTile>> tilesOf_; ///< shape [sections], ascending
  std::vector<GlobalTile> tiles_;                ///< tiles with code, ascending
  std::vector<bool> wantsInterleaved_;           ///< shape [tiles_]
};

} // namespace copse::compiler
