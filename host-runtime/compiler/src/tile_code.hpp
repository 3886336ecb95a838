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

/// Whether a vertex type is C++ that runs on the supervisor with instructions of its own.
bool startsWorkers(const graph::Model &model, std::uint32_t vertexType);

/// The tile code of a program: what its external vertices enter, and what its supervisors in C++
/// start, linked. All of it stands at the
/// bottom of tile memory, in elements of its own (a load from an element that code runs in is a
/// conflict), and behind it the stacks. A section has one address; a tile is loaded with those that
/// its vertices need, but every tile with code gives the same range away, so that an entry point is
/// one address in all images. Codelets in C++ that it starts are native: they have addresses of
/// their own, where no tile has memory (wire::kNativeEntries).
class TileCode {
public:
  /// \throws poplar::link_error if an entry, something that it uses or a stack size is missing
  TileCode(const graph::Model &model, const VertexIndex &index, const TargetMemory &memory);

  bool isEmpty() const { return code_.entries.empty(); }
  /// Takes the range from all tiles that need it; first of all allocations.
  void reserve(TileAllocator &allocator) const;
  /// Tells \p recorder where code and stacks lie on the tiles that have code.
  void record(MemoryRecorder &recorder) const;
  /// How a vertex type with tile code is called.
  wire::CodeletFunction functionOf(std::uint32_t vertexType) const;
  /// Where tile code starts a vertex type in C++; 0 if it does not.
  std::uint32_t nativeEntryOf(std::uint32_t vertexType) const;

  /// A function in C++ that tile code calls.
  struct CalledFunction {
    std::string symbol;
    std::uint32_t module; ///< of the model
    std::uint32_t entry;  ///< where tile code calls it
  };
  const std::vector<CalledFunction> &calledFunctions() const { return functions_; }
  /// Adds code, its symbols and lines, and the stacks.
  void emit(std::vector<wire::Image> &images) const;

private:
  /// Whether vertices of this type put code on their tiles.
  bool isInvolved(std::uint32_t vertexType) const;
  void linkEntries();
  void layOutStacks();
  void findTiles(const VertexIndex &index);
  std::uint32_t reservedOn(std::size_t tile) const;
  wire::CodeSection sectionFor(const assembler::LinkedSection &linked, wire::Image &image) const;

  const graph::Model &model_;
  const TargetMemory &memory_;
  std::vector<std::uint32_t> types_;   ///< vertex types that are used and involved, ascending
  std::vector<std::uint32_t> entryOf_; ///< shape [vertex types], into code_.entries
  assembler::LinkedCode code_;
  std::map<std::uint32_t, std::uint32_t> natives_; ///< vertex types in C++ -> where they start
  std::vector<CalledFunction> functions_;          ///< ascending by entry
  std::vector<std::uint32_t> stacks_;
  std::uint32_t end_ = 0;                        ///< behind the stacks
  std::vector<std::vector<GlobalTile>> tilesOf_; ///< shape [sections], ascending
  std::vector<GlobalTile> tiles_;                ///< with any code, ascending
  std::vector<bool> wantsInterleaved_;           ///< shape [tiles_]
};

} // namespace copse::compiler
