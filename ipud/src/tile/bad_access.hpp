#pragma once

#include "tile/tile_memory.hpp"

#include "wire/codelet_abi.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace copse::ipud {

/// An access of a vertex that hardware would execute silently, or that the tile would trap on and
/// native code does not.
struct BadAccess {
  enum class Kind : std::uint8_t {
    Outside,    ///< outside of the given fields, or a write to a read-only field
    Race,       ///< another worker of the vertex has accessed the bytes, and one of the two writes
    Granule,    ///< like Race, but in other bytes of a word that stores write as a whole
    Undefined,  ///< a read of bytes that were never written
    Misaligned, ///< native code makes an access on which the tile would trap
  };
  Kind kind = Kind::Outside;
  std::uint32_t tile = 0;
  const wire::VertexRecord *vertex = nullptr;
  /// Function that the vertex's tile code has started or called.
  std::optional<std::uint32_t> started;
  std::optional<std::uint32_t> worker;             ///< if it matters
  std::optional<std::uint32_t> otherWorker;        ///< the other worker of a race
  const wire::VertexRecord *otherVertex = nullptr; ///< for Granule, if it is another vertex
  std::uint32_t address = 0, bytes = 0;            ///< the first bad byte; size of the whole access
  /// Differs from `tile` if the address is in another tile's slot.
  std::uint32_t tileOfAddress = 0;
  std::uint32_t alignment = 1; ///< for Misaligned: the required alignment
  bool stores = false;
  // The source location, one of the following:
  const char *site = nullptr;                    ///< place in native code
  const wire::AssemblyBlock *assembly = nullptr; ///< inline assembly
  const char *tileFunction = nullptr;            ///< otherwise: program counter in tile code
  std::uint32_t pc = 0;                          ///< otherwise: of tile code
  std::span<const wire::GivenRange> given;       ///< the ranges given to the vertex
};

/// Receives findings.
///
/// Thread: any thread that runs codelets.
class AccessFindings {
public:
  virtual ~AccessFindings() = default;
  virtual void add(const BadAccess &access) = 0;
};

/// The data needed to check the vertices of one compute set.
struct CheckedSet {
  const wire::CheckTables &tables;
  std::uint32_t firstVertex; ///< index of the set's first vertex among the vertices of all sets
  /// A shadow byte for each byte of tile memory, at equal tile and address: 1 once the byte was
  /// written.
  const TileMemory &defined;
  const wire::TileRegisters &registers;
  std::uint32_t stacksBegin, stacksEnd; ///< stacks of tile code, on every tile that has code
  AccessFindings &findings;

  std::span<const wire::GivenRange> given(std::uint32_t vertex) const {
    const std::uint32_t number = firstVertex + vertex;
    const std::uint32_t begin = number == 0 ? 0 : tables.givenEnds[number - 1];
    return std::span(tables.given).subspan(begin, tables.givenEnds[number] - begin);
  }
};

} // namespace copse::ipud
