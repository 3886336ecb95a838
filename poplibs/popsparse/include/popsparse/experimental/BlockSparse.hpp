#pragma once

namespace popsparse {
/// Operations on matrices that are sparse in blocks.
namespace experimental {

/// Says which elements of a block-sparse result are set to 0: those above or below the diagonal of
/// the matrix, or none.
enum class SubBlockMask { None, ZeroUpperTriangle, ZeroLowerTriangle };

} // namespace experimental
} // namespace popsparse
