#pragma once

#include <cstddef>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace copse::reductions {

/// Groups \p parts that different vertices of one tile will write: the parts of a group have
/// elements in one word that the tile stores at once. A group is in the order of memory. Assumes
/// that the first element of a variable among the parts begins a word, and that the tile has no
/// other elements between the first and the last of the parts.
/// \param parts  parts of one element type
std::vector<std::vector<std::size_t>>
groupsWithSharedWords(const poplar::Target &target, const std::vector<poplar::Tensor> &parts);

} // namespace copse::reductions
