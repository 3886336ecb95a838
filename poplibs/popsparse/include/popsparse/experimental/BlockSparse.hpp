#pragma once

namespace popsparse {
namespace experimental {

/// Which elements of a block-sparse result are 0 within its blocks, by the diagonal of the matrix.
enum class SubBlockMask { None, ZeroUpperTriangle, ZeroLowerTriangle };

} // namespace experimental
} // namespace popsparse
