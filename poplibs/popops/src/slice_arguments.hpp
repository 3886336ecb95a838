#pragma once

#include <cstddef>
#include <poplar/Tensor.hpp>
#include <set>
#include <string>
#include <vector>

namespace copse::slices {

using Sizes = std::vector<std::size_t>;

/// \tparam Error  what a wrong argument throws
template <typename Error>
void checkSlice(const char *function, const Sizes &shape, const Sizes &dims, const Sizes &sizes) {
  const std::string name = function;
  if (dims.size() != sizes.size())
    throw Error(name + ": " + std::to_string(dims.size()) + " dimensions and " +
                std::to_string(sizes.size()) + " sizes");
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i != dims.size(); ++i) {
    if (dims[i] >= shape.size())
      throw Error(name + ": there is no dimension " + std::to_string(dims[i]) +
                  " in a tensor of rank " + std::to_string(shape.size()));
    if (!seen.insert(dims[i]).second)
      throw Error(name + ": dimension " + std::to_string(dims[i]) + " is listed twice");
    if (sizes[i] > shape[dims[i]])
      throw Error(name + ": a slice of " + std::to_string(sizes[i]) + " of dimension " +
                  std::to_string(dims[i]) + ", which has " + std::to_string(shape[dims[i]]));
  }
}

/// Checks one offset for each dimension.
void checkDynamic(const char *function, const poplar::Tensor &t, const poplar::Tensor &offset,
                  const Sizes &dims, const Sizes &sizes);

Sizes slicedShape(Sizes shape, const Sizes &dims, const Sizes &sizes);

bool isEmpty(const Sizes &shape);

} // namespace copse::slices
