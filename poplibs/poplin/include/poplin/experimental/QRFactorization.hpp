#pragma once

#include <array>
#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace poplin {
namespace experimental {

/// \file
/// Factors of a matrix A [M, N] of FLOAT or HALF, M >= N: an orthogonal matrix Q [M, M] and an
/// upper triangular matrix R [M, N], with A = Q R.

/// Adds A and Q, spread over the tiles.
/// \throws poputil::poplibs_error if \p m is less than \p n, or \p type is another
std::array<poplar::Tensor, 2>
createQRFactorizationMatrices(poplar::Graph &graph, const poplar::Type &type, std::size_t m,
                              std::size_t n, const poplar::DebugContext &debugContext = {});

/// Replaces A with R, and Q, which must be the identity, with Q. One Householder reflection for
/// each column, computed in FLOAT; the diagonal of R may be negative.
///
/// Option: rowsPerIteration, which is ignored.
/// \throws poputil::poplibs_error if shapes or types do not fit
/// \throws poplar::invalid_option if an option is unknown
void QRFactorization(poplar::Graph &graph, poplar::Tensor &A, poplar::Tensor &Q,
                     poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                     const poplar::OptionFlags &options = {});

} // namespace experimental
} // namespace poplin
