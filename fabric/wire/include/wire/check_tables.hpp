#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What an ipud needs to know of a program besides the program itself, to check what it does: `copse check`.
namespace copse::wire {

/// Bytes of a tile that its vertex was given: `bytes` from `address` on. Of ranges that overlap the last one counts.
struct GivenRange {
  static constexpr std::uint32_t kRead = 1, kWritten = 2; ///< bits of `access`
  std::uint32_t address = 0, bytes = 0;
  std::uint32_t field = 0; ///< its name, an index into CheckTables::names
  std::uint32_t index = 0; ///< of the sub-vector
  std::uint32_t elementBytes = 0;
  std::uint32_t access = 0; ///< what the vertex may do with them
  friend bool operator==(const GivenRange &, const GivenRange &) = default;
};

/// A part of a variable.
struct NamedRange {
  std::uint32_t tile = 0, address = 0, bytes = 0;
  std::uint32_t name = 0; ///< an index into CheckTables::names
  friend bool operator==(const NamedRange &, const NamedRange &) = default;
};

/// WriteUndef: when the step is reached, blocks of a region (wire/image.hpp) hold nothing any more.
struct UndefinedRange {
  std::uint32_t step = 0;
  std::uint32_t tile = 0, address = 0, bytes = 0, count = 0;
  std::int32_t stride = 0;
  friend bool operator==(const UndefinedRange &, const UndefinedRange &) = default;
};

struct CheckTables {
  bool present = false; ///< the program was compiled to be checked; if not, all else is empty
  std::vector<std::string> names;
  /// Where the ranges of each vertex end in `given`; those of the next begin there. Vertices of all compute sets, in
  /// the order of the image.
  std::vector<std::uint32_t> givenEnds;
  std::vector<GivenRange> given;
  std::vector<NamedRange> variables;     ///< ascending by tile, then by address
  std::vector<UndefinedRange> undefined; ///< ascending by step
  /// Exchanges of the image before this one gather and scatter what edges need; the others are the program's.
  std::uint32_t edgeExchanges = 0;
  friend bool operator==(const CheckTables &, const CheckTables &) = default;
};

} // namespace copse::wire
