#pragma once

#include "graph/model.hpp"
#include "graph/view.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace copse::graph {

/// Returns the values of a tensor as values of its variables. If the tensor covers a contiguous
/// range of a variable, in any order, the range becomes one value in the order of the variable;
/// otherwise the layout of a layer's weights, which shuffles single elements, would give one value
/// per element.
///
/// \param runs   runs of the tensor, in its order
/// \param bytes  bytes of all elements, in the tensor's order
/// \param size   size of an element [bytes]
std::vector<std::pair<VariableId, InitialValue>>
initialValuesOf(const std::vector<Run> &runs, std::span<const std::byte> bytes, std::size_t size);

} // namespace copse::graph
