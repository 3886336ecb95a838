#pragma once

#include "graph/model.hpp"
#include "graph/view.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace copse::graph {

/// Values of a tensor as its variables hold them. Where the tensor covers a stretch of a variable whole, in whatever order,
/// the stretch is one value in the order of the variable: the layout of a layer's weights shuffles single elements, each of
/// which would be a value of its own.
///
/// \param runs    of the tensor, in its order
/// \param bytes   of all elements, in the tensor's order
/// \param size    of an element [bytes]
std::vector<std::pair<VariableId, InitialValue>>
initialValuesOf(const std::vector<Run> &runs, std::span<const std::byte> bytes, std::size_t size);

} // namespace copse::graph
