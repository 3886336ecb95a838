#pragma once

#include <cstddef>
#include <poplar/Tensor.hpp>
#include <vector>

// Broadcasting follows NumPy's rules: dimensions are aligned at the end, and a dimension of size 1
// is repeated.
namespace poputil {

/// Puts dimensions of size 1 in front of the tensor of lower rank.
void expandToMatchRanks(poplar::Tensor &a, poplar::Tensor &b);

/// Makes \p a a view of \p shape.
/// \throws poplibs_error if its rank is higher, or a dimension is neither 1 nor the shape's
void broadcastToMatch(poplar::Tensor &a, const std::vector<std::size_t> &shape);

///@{

/// Makes the tensors views of their common shape.
///
/// \code
/// broadcastToMatch(bias, x);  // bias of shape [in] becomes [batch, in], as x is
/// \endcode
/// \throws poplibs_error if there is no such shape
void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b);
void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b, poplar::Tensor &c);
///@}

/// Returns true if there is a common shape.
bool canBroadcastToMatch(const poplar::Tensor &a, const poplar::Tensor &b);

} // namespace poputil
