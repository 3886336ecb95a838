#include "popops/Pad.hpp"

#include "poputil/exceptions.hpp"

#include <functional>
#include <string>

using poplar::Graph;
using poplar::Tensor;
using poputil::poplibs_error;

namespace popops {
namespace {

using Amounts = std::vector<std::ptrdiff_t>;

std::size_t positive(std::ptrdiff_t amount) {
  return amount > 0 ? static_cast<std::size_t>(amount) : 0;
}

/// Takes away what negative amounts say.
Tensor truncated(const Tensor &t, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim) {
  if (dim >= t.rank())
    throw poplibs_error("pad: there is no dimension " + std::to_string(dim) + " in shape " +
                        t.shapeToString());
  const std::size_t below = positive(-lower), above = positive(-upper);
  if (below + above > t.dim(dim))
    throw poplibs_error("pad: " + std::to_string(below + above) +
                        " elements are to be taken from dimension " + std::to_string(dim) +
                        " of shape " + t.shapeToString());
  return t.slice(below, t.dim(dim) - above, dim);
}

/// Makes `n` elements along \p dim to put below or above \p inside.
using Padding = std::function<Tensor(const Tensor &inside, std::size_t n, bool below)>;

Tensor padded(const Tensor &t, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim,
              const Padding &padding) {
  const Tensor inside = truncated(t, lower, upper, dim);
  std::vector<Tensor> parts;
  if (lower > 0)
    parts.push_back(padding(inside, positive(lower), true));
  parts.push_back(inside);
  if (upper > 0)
    parts.push_back(padding(inside, positive(upper), false));
  return poplar::concat(parts, dim);
}

Tensor eachDimension(const Tensor &t, const Amounts &lower, const Amounts &upper,
                     const std::function<Tensor(const Tensor &, unsigned)> &padOne) {
  if (lower.size() != t.rank() || upper.size() != t.rank())
    throw poplibs_error("pad: " + std::to_string(lower.size()) + " and " +
                        std::to_string(upper.size()) + " amounts for a tensor of rank " +
                        std::to_string(t.rank()));
  Tensor result = t;
  for (unsigned d = 0; d != t.rank(); ++d)
    result = padOne(result, d);
  return result;
}

void mapPadding(Graph &graph, const Tensor &padding, const Tensor &inside, unsigned dim, bool below,
                padding::MappingMethod method) {
  if (method == padding::MappingMethod::NONE)
    return;
  if (method == padding::MappingMethod::ZERO || inside.numElements() == 0) {
    graph.setTileMapping(padding, 0);
    return;
  }
  const std::size_t edge = below ? 0 : inside.dim(dim) - 1;
  const auto mapping = graph.getTileMapping(inside.slice(edge, edge + 1, dim));
  for (std::size_t i = 0; i != padding.dim(dim); ++i)
    graph.setTileMapping(padding.slice(i, i + 1, dim), mapping);
}

template <typename Value>
Tensor padWithConstant(Graph &graph, const Tensor &t, std::ptrdiff_t lower, std::ptrdiff_t upper,
                       unsigned dim, Value val, padding::MappingMethod method) {
  return padded(t, lower, upper, dim, [&](const Tensor &inside, std::size_t n, bool below) {
    auto shape = inside.shape();
    shape[dim] = n;
    const Tensor constant = graph.addConstant(inside.elementType(), shape, val, "padding");
    if (constant.numElements() != 0)
      mapPadding(graph, constant, inside, dim, below, method);
    return constant;
  });
}

} // namespace

Tensor pad(Graph &graph, const Tensor &t, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper,
           unsigned dim, float val, padding::MappingMethod mappingMethod) {
  return padWithConstant(graph, t, paddingLower, paddingUpper, dim, val, mappingMethod);
}
Tensor pad(Graph &graph, const Tensor &t, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper,
           unsigned dim, int val, padding::MappingMethod mappingMethod) {
  return padWithConstant(graph, t, paddingLower, paddingUpper, dim, val, mappingMethod);
}
Tensor pad(Graph &, const Tensor &t, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper,
           unsigned dim, const Tensor &val, padding::MappingMethod) {
  if (val.numElements() != 1 || val.elementType() != t.elementType())
    throw poplibs_error("pad: the value has shape " + val.shapeToString() + " and type " +
                        val.elementType().toString().cloneAsString() +
                        "; it must be one element of type " +
                        t.elementType().toString().cloneAsString());
  return padded(t, paddingLower, paddingUpper, dim, [&](const Tensor &inside, std::size_t n, bool) {
    Tensor all = val.reshape(std::vector<std::size_t>(inside.rank(), 1));
    for (unsigned d = 0; d != inside.rank(); ++d) {
      const std::size_t size = d == dim ? n : inside.dim(d);
      all = size == 0 ? all.slice(0, 0, d) : all.broadcast(static_cast<unsigned>(size), d);
    }
    return all;
  });
}
Tensor pad(Graph &graph, const Tensor &t, const Amounts &paddingLower, const Amounts &paddingUpper,
           float val, padding::MappingMethod mappingMethod) {
  return eachDimension(t, paddingLower, paddingUpper, [&](const Tensor &part, unsigned d) {
    return pad(graph, part, paddingLower[d], paddingUpper[d], d, val, mappingMethod);
  });
}
Tensor pad(Graph &graph, const Tensor &t, const Amounts &paddingLower, const Amounts &paddingUpper,
           int val, padding::MappingMethod mappingMethod) {
  return eachDimension(t, paddingLower, paddingUpper, [&](const Tensor &part, unsigned d) {
    return pad(graph, part, paddingLower[d], paddingUpper[d], d, val, mappingMethod);
  });
}
Tensor pad(Graph &graph, const Tensor &t, const Amounts &paddingLower, const Amounts &paddingUpper,
           const Tensor &val, padding::MappingMethod mappingMethod) {
  return eachDimension(t, paddingLower, paddingUpper, [&](const Tensor &part, unsigned d) {
    return pad(graph, part, paddingLower[d], paddingUpper[d], d, val, mappingMethod);
  });
}

Tensor pad(const Tensor &t, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper, unsigned dim,
           padding::Type type) {
  return padded(
      t, paddingLower, paddingUpper, dim, [&](const Tensor &inside, std::size_t n, bool below) {
        const std::size_t size = inside.dim(dim);
        if (type == padding::Type::EDGE) {
          if (size == 0)
            throw poplibs_error("pad: dimension " + std::to_string(dim) +
                                " has no border to repeat: it is empty");
          const std::size_t edge = below ? 0 : size - 1;
          return inside.slice(edge, edge + 1, dim).broadcast(static_cast<unsigned>(n), dim);
        }
        if (n >= size)
          throw poplibs_error("pad: " + std::to_string(n) +
                              " elements are to be mirrored of dimension " + std::to_string(dim) +
                              ", which has " + std::to_string(size));
        return (below ? inside.slice(1, n + 1, dim) : inside.slice(size - 1 - n, size - 1, dim))
            .reverse(dim);
      });
}
Tensor pad(const Tensor &t, const Amounts &paddingLower, const Amounts &paddingUpper,
           padding::Type type) {
  return eachDimension(t, paddingLower, paddingUpper, [&](const Tensor &part, unsigned d) {
    return pad(part, paddingLower[d], paddingUpper[d], d, type);
  });
}

} // namespace popops
