#pragma once

#include "node_costs.hpp"

namespace copse::onnx {

/// The IPU of each node. Each IPU has a contiguous part of the nodes' order.
using Placement = std::vector<unsigned>;

/// Cuts the nodes into a part for each IPU, so that the largest share is as small as can be: of memory, and of modelled
/// cycles unless parts of equal cycles do not fit. Later IPUs may stay empty.
/// \param memory  of one IPU [bytes]
Placement placeNodes(const std::vector<NodeCost> &costs, unsigned ipus, std::uint64_t memory);

/// Contents of the fullest IPU [bytes].
std::uint64_t fullest(const std::vector<NodeCost> &costs, const Placement &placement);

/// The smallest number of IPUs, from \p least on, on which the estimate leaves room for code and exchange.
/// \returns none if a node alone is too large
std::optional<unsigned> ipusNeeded(const std::vector<NodeCost> &costs, std::uint64_t memory,
                                   unsigned least);

} // namespace copse::onnx
