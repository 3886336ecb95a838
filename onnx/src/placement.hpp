#pragma once

#include "node_costs.hpp"

namespace copse::onnx {

/// The IPU of each node. Each IPU has contiguous nodes.
using Placement = std::vector<unsigned>;

/// Cuts the nodes into one part for each IPU, and minimizes the largest share of memory and of
/// modelled cycles. If the parts then do not fit, only memory counts. Later IPUs may stay empty.
/// \param memory  memory of one IPU [bytes]
Placement placeNodes(const std::vector<NodeCost> &costs, unsigned ipus, std::uint64_t memory);

/// Returns the contents of the fullest IPU [bytes].
std::uint64_t fullest(const std::vector<NodeCost> &costs, const Placement &placement);

/// Returns the smallest number of IPUs, at least \p least, for which the estimate leaves room for
/// code and exchange.
/// \returns nothing if a single node is too large
std::optional<unsigned> ipusNeeded(const std::vector<NodeCost> &costs, std::uint64_t memory,
                                   unsigned least);

} // namespace copse::onnx
