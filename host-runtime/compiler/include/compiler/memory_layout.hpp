#pragma once

#include "compiler/live_ranges.hpp"
#include "compiler/tile_allocator.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace copse::compiler {

/// The uses of tile memory. Numbers are in files: add at the end.
enum class MemoryUse : std::uint8_t {
  Variable = 0,
  Constant = 1,
  MessageBuffer = 2,       ///< copies of data of other tiles, for one compute set
  RearrangementBuffer = 3, ///< copies of the tile's own data, for one compute set
  Stack = 4,
  VertexInstance = 5, ///< vertex states without the data of their fields
  VertexFieldData = 6,
  VectorListDescriptor = 7,
  ControlCode = 8, ///< control words, and an estimate of the supervisor's code
  VertexCode = 9
};
inline constexpr std::size_t kMemoryUses = 10;

/// An estimate of the supervisor's code on a tile for one execution of a compute set, and for each
/// of its vertices there [bytes]. Source: control_code.hpp.
inline constexpr std::uint32_t kComputeSetCodeBytes = 32, kVertexCodeBytes = 4;

/// An item that occupies memory on any number of tiles: a variable, the buffers of a compute set,
/// all vertex states, ...
struct MemoryItem {
  std::string name; ///< debug path; may be empty
  MemoryUse use = MemoryUse::Variable;
  std::string type;               ///< type of a variable's elements; empty for other items
  std::vector<std::size_t> shape; ///< shape of a variable
  /// When its contents are needed: an index into MemoryLayout::ranges, LiveRanges::kAlways or
  /// kNever.
  LiveRanges::Id range = LiveRanges::kAlways;
  std::uint64_t bytes = 0; ///< over all tiles
  friend bool operator==(const MemoryItem &, const MemoryItem &) = default;
};

/// An address range of one tile that belongs to an item.
struct MemoryBlock {
  std::uint32_t item = 0; ///< index into MemoryLayout::items
  std::uint32_t address = 0, bytes = 0;
  std::uint64_t end() const { return std::uint64_t{address} + bytes; }
  friend bool operator==(const MemoryBlock &, const MemoryBlock &) = default;
};

/// The size of the states of all vertices of one type on all tiles [bytes].
struct VertexBytes {
  std::uint64_t vertices = 0;
  std::uint64_t internalState = 0; ///< including vectors stored in the state
  std::uint64_t edgePointers = 0;  ///< including tables of inner pointers
  std::uint64_t listDescriptors = 0;
  std::uint64_t padding = 0; ///< within and before states
  std::uint64_t total() const { return internalState + edgePointers + listDescriptors + padding; }
  VertexBytes &operator+=(const VertexBytes &other) {
    vertices += other.vertices;
    internalState += other.internalState;
    edgePointers += other.edgePointers;
    listDescriptors += other.listDescriptors;
    padding += other.padding;
    return *this;
  }
  friend bool operator==(const VertexBytes &, const VertexBytes &) = default;
};

/// The addresses of everything in the tile memory of one replica, and when it is needed.
///
/// Blocks overlap where items share memory because they are never needed at one time: unless an
/// item is never needed, the ranges of items that share memory do not overlap.
struct MemoryLayout {
  std::vector<MemoryItem> items;
  /// Each has ascending, disjoint intervals of time steps.
  std::vector<std::vector<LiveInterval>> ranges;
  /// Shape [tiles + 1]: blocks [firstBlock[t], firstBlock[t + 1]) belong to tile t, ascending by
  /// address.
  std::vector<std::uint64_t> firstBlock;
  std::vector<MemoryBlock> blocks;
  std::vector<std::uint64_t> bytesWithGaps; ///< shape [tiles]: from the first to the last byte
  std::vector<VertexBytes> vertexTypes;     ///< shape [Image::functions]

  static constexpr std::uint32_t kNoTime = 0xFFFFFFFF;
  /// Shape [Image::steps]: the time step at which each step runs; if there are several, the one
  /// with the most live bytes. kNoTime: the step uses only what is always live.
  std::vector<std::uint32_t> stepTimes;
  /// Shape [Image::steps]: the items that each step reads or writes, ascending. For a compute set
  /// and its exchanges, everything that its vertices are connected to, and its buffers.
  std::vector<std::vector<std::uint32_t>> stepItems;

  std::span<const MemoryBlock> blocksOf(GlobalTile tile) const {
    return std::span(blocks).subspan(firstBlock[tile], firstBlock[tile + 1] - firstBlock[tile]);
  }
  friend bool operator==(const MemoryLayout &, const MemoryLayout &) = default;
};

/// Returns the bytes of one tile by use. A shared byte is counted for the first of its uses.
std::array<std::uint64_t, kMemoryUses> bytesByUse(const MemoryLayout &layout, GlobalTile tile);

/// Returns the live bytes of all tiles at each time step, without items that are always live. Shape
/// [time steps]
std::vector<std::uint64_t> liveBytesByTime(const MemoryLayout &layout);

} // namespace copse::compiler
