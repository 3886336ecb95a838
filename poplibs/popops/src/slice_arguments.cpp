#include "slice_arguments.hpp"

#include <algorithm>
#include <poplar/exceptions.hpp>

namespace copse::slices {

using poplar::Tensor;

void checkDynamic(const char *function, const Tensor &t, const Tensor &offset, const Sizes &dims,
                  const Sizes &sizes) {
  checkSlice<poplar::graph_connection_error>(function, t.shape(), dims, sizes);
  if (offset.numElements() != dims.size())
    throw poplar::graph_connection_error(std::string(function) + ": " +
                                         std::to_string(offset.numElements()) + " offsets for " +
                                         std::to_string(dims.size()) + " dimensions");
  if (!dims.empty() && offset.elementType() != poplar::UNSIGNED_INT)
    throw poplar::graph_connection_error(std::string(function) +
                                         ": offsets are UNSIGNED_INT, not " +
                                         offset.elementType().toString().cloneAsString());
}

Sizes slicedShape(Sizes shape, const Sizes &dims, const Sizes &sizes) {
  for (std::size_t i = 0; i != dims.size(); ++i)
    shape[dims[i]] = sizes[i];
  return shape;
}

bool isEmpty(const Sizes &shape) {
  return std::find(shape.begin(), shape.end(), 0u) != shape.end();
}

} // namespace copse::slices
