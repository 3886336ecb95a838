#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The tables that an ipud needs, besides the program itself, to check memory accesses: `copse
/// check`.
namespace copse::wire {

/// A range of tile memory that a vertex was given access to: `bytes` from `address` on. If ranges
/// overlap, the last one is valid.
struct GivenRange {
  static constexpr std::uint32_t kRead = 1, kWritten = 2; ///< bits of `access`
  std::uint32_t address = 0, bytes = 0;
  std::uint32_t field = 0; ///< name of the vertex field, an index into CheckTables::names
  std::uint32_t index = 0; ///< index of the sub-vector
  std::uint32_t elementBytes = 0;
  std::uint32_t access = 0; ///< what the vertex may do with the range
  friend bool operator==(const GivenRange &, const GivenRange &) = default;
};

/// The part of a variable on one tile.
struct NamedRange {
  std::uint32_t tile = 0, address = 0, bytes = 0;
  std::uint32_t name = 0; ///< an index into CheckTables::names
  friend bool operator==(const NamedRange &, const NamedRange &) = default;
};

/// A WriteUndef: when the program reaches the step, the content of a region (wire/image.hpp)
/// becomes undefined.
struct UndefinedRange {
  std::uint32_t step = 0;
  std::uint32_t tile = 0, address = 0, bytes = 0, count = 0;
  std::int32_t stride = 0;
  friend bool operator==(const UndefinedRange &, const UndefinedRange &) = default;
};

/// The names and address ranges by which an IPU checks the memory accesses of vertices (`copse
/// check`).
struct CheckTables {
  /// True if the program was compiled for checking; otherwise all other members are empty.
  bool present = false;
  std::vector<std::string> names;
  /// For each vertex the end of its ranges in `given`; the ranges of the next vertex begin there.
  /// The vertices of all compute sets follow each other in the order of the image.
  std::vector<std::uint32_t> givenEnds;
  std::vector<GivenRange> given;
  std::vector<NamedRange> variables;     ///< ascending by tile, then by address
  std::vector<UndefinedRange> undefined; ///< ascending by step
  /// The number of exchanges that gather and scatter the data of edges. These exchanges precede the
  /// program's own in the image.
  std::uint32_t edgeExchanges = 0;
  friend bool operator==(const CheckTables &, const CheckTables &) = default;
};

} // namespace copse::wire
