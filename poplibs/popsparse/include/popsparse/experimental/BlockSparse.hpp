#pragma once

namespace popsparse {
/// Operations on matrices that are sparse in blocks.
namespace experimental {

/// Says which elements of a block-sparse result are 0 within its blocks, by the diagonal of the
/// matrix.
enum class SubBlockMask { None, ZeroUpperTriangle, ZeroLowerTriangle };

} // namespace experimental
} // namespace popsparse
