#pragma once

#include <cstddef>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace copse::reductions {

/// Groups of \p parts, which different vertices of one tile are to write: those of a group have elements in one word that
/// the tile stores at once. A group is in the order of memory. The first element of a variable among the parts is taken
/// to begin a word, and the parts to be all that the tile has between their first and last element.
/// \param parts  of one element type
std::vector<std::vector<std::size_t>>
groupsWithSharedWords(const poplar::Target &target, const std::vector<poplar::Tensor> &parts);

} // namespace copse::reductions
