#pragma once

#include "tile/tile_memory.hpp"

#include "wire/codelet_abi.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace copse::ipud {

/// An access of a vertex that hardware would do without a word, or would trap where native code does not.
struct BadAccess {
  enum class Kind : std::uint8_t {
    Outside,    ///< of the fields that it was given, or a write to one that it may only read
    Race,       ///< another worker of the vertex has accessed the bytes, and one of the two writes
    Granule,    ///< likewise, but other bytes of a word that stores write as a whole
    Undefined,  ///< a read of bytes that nothing has written
    Misaligned, ///< native code reads or writes what the tile would trap on
  };
  Kind kind = Kind::Outside;
  std::uint32_t tile = 0;
  const wire::VertexRecord *vertex = nullptr;
  std::optional<std::uint32_t> started;     ///< function that its tile code has started or called
  std::optional<std::uint32_t> worker;      ///< where it matters which
  std::optional<std::uint32_t> otherWorker; ///< of a race
  const wire::VertexRecord *otherVertex =
      nullptr;                          ///< of Granule, where it is no worker of the same
  std::uint32_t address = 0, bytes = 0; ///< of the first bad byte, and of the whole access
  std::uint32_t tileOfAddress = 0;      ///< another one than `tile` if the address is in its slot
  std::uint32_t alignment = 1;          ///< of Misaligned: that which is needed
  bool stores = false;
  // Where it stands in the source: one of these.
  const char *site = nullptr;                    ///< of native code
  const wire::AssemblyBlock *assembly = nullptr; ///< inline assembly
  const char *tileFunction = nullptr;            ///< a function in assembly that native code called
  std::uint32_t pc = 0;                          ///< else of tile code
  std::span<const wire::GivenRange> given;       ///< to the vertex
};

/// Gets what is found.
///
/// Thread: any of those that run codelets.
class AccessFindings {
public:
  virtual ~AccessFindings() = default;
  virtual void add(const BadAccess &access) = 0;
};

/// What is needed to check the vertices of one compute set.
struct CheckedSet {
  const wire::CheckTables &tables;
  std::uint32_t firstVertex; ///< of the set, among the vertices of all sets
  /// A byte for each byte of tile memory, at the same tile and address: 1 once something was written there.
  const TileMemory &defined;
  const wire::TileRegisters &registers;
  std::uint32_t stacksBegin, stacksEnd; ///< of tile code, on every tile that has code
  AccessFindings &findings;

  std::span<const wire::GivenRange> given(std::uint32_t vertex) const {
    const std::uint32_t number = firstVertex + vertex;
    const std::uint32_t begin = number == 0 ? 0 : tables.givenEnds[number - 1];
    return std::span(tables.given).subspan(begin, tables.givenEnds[number] - begin);
  }
};

} // namespace copse::ipud
