#pragma once

#include <array>
#include <cstddef>
#include <ostream>

namespace popsparse {
namespace dynamic {

/// The units that are zero or non-zero as a whole.
enum class SparsityType { Element, Block };
/// The structures of patterns.
enum class SparsityStructure { Unstructured };

/// Says which units of a matrix are zero or non-zero as a whole: elements, or blocks.
struct SparsityParams {
  /// The unit.
  SparsityType type;
  /// The structure of the pattern.
  SparsityStructure structure;
  /// The rows and columns of a block.
  std::array<std::size_t, 2> blockDimensions;

  /// Sets all members; by default elements. The type follows from the blocks: one element is an
  /// Element.
  SparsityParams(SparsityType type_ = SparsityType::Element,
                 SparsityStructure structure_ = SparsityStructure::Unstructured,
                 std::array<std::size_t, 2> blockDimensions_ = {{1, 1}})
      : type(type_), structure(structure_), blockDimensions(blockDimensions_) {
    type =
        blockDimensions[0] * blockDimensions[1] == 1 ? SparsityType::Element : SparsityType::Block;
  }
};

///@{

/// Compares all members.
inline bool operator==(const SparsityParams &a, const SparsityParams &b) {
  return a.type == b.type && a.structure == b.structure && a.blockDimensions == b.blockDimensions;
}
inline bool operator!=(const SparsityParams &a, const SparsityParams &b) { return !(a == b); }
inline bool operator<(const SparsityParams &a, const SparsityParams &b) {
  return a.blockDimensions < b.blockDimensions;
}
///@}

///@{

/// Writes the words or members as text.
std::ostream &operator<<(std::ostream &out, const SparsityType &type);
std::ostream &operator<<(std::ostream &out, const SparsityStructure &structure);
std::ostream &operator<<(std::ostream &out, const SparsityParams &params);
///@}

} // namespace dynamic
} // namespace popsparse
