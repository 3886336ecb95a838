#include "joined_dimensions.hpp"

#include "popops/ElementWise.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

namespace copse::slices {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;
using Sizes = std::vector<std::size_t>;

namespace {

std::vector<unsigned> slicedFirst(std::size_t rank, const Sizes &dims) {
  std::vector<unsigned> order(dims.begin(), dims.end());
  for (unsigned d = 0; d != rank; ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end())
      order.push_back(d);
  return order;
}

std::size_t product(const Sizes &sizes, std::size_t from = 0) {
  return std::accumulate(sizes.begin() + static_cast<std::ptrdiff_t>(from), sizes.end(),
                         std::size_t{1}, std::multiplies<>());
}

/// Returns for each position in a slice where it is along sliced dimension \p i: [positions].
Tensor positionsAlong(Graph &graph, const Sizes &sizes, std::size_t i,
                      const DebugContext &debugContext) {
  std::vector<unsigned> along(product(sizes));
  for (std::size_t p = 0; p != along.size(); ++p)
    along[p] = static_cast<unsigned>(p / product(sizes, i + 1) % sizes[i]);
  const Tensor t = graph.addConstant<unsigned>(poplar::UNSIGNED_INT, {along.size()}, along,
                                               {debugContext, "positions"});
  graph.setTileMapping(t, 0);
  return t;
}

} // namespace

JoinedDimensions::JoinedDimensions(Graph &graph, const Tensor &t, const Tensor &offsets,
                                   const Sizes &dims, const Sizes &sizes, Outside outside,
                                   Sequence &prog, const DebugContext &debugContext)
    : order_{0} {
  const std::vector<unsigned> order = slicedFirst(t.rank(), dims);
  for (const unsigned dim : order)
    order_.push_back(dim + 1);
  table_ = t.dimShuffle(order).flatten(0, static_cast<unsigned>(dims.size()));

  using namespace popops::expr;
  std::vector<Tensor> operands;
  for (std::size_t i = 0; i != dims.size(); ++i)
    operands.push_back(offsets.slice(i, i + 1, 1));
  std::optional<Any> row, inside;
  for (unsigned i = 0; i != dims.size(); ++i) {
    const auto extent = static_cast<unsigned>(t.dim(static_cast<unsigned>(dims[i])));
    const PlaceHolder offset(i + 1);
    Any along = offset;
    if (outside == Outside::Wraps) {
      along = Any(Select(offset, Const(0u), Lt(offset, Const(extent))));
    } else {
      const Any fits = Lte(offset, Const(static_cast<unsigned>(extent - sizes[i])));
      inside = inside ? Any(And(*inside, fits)) : fits;
    }
    if (sizes[i] != 1) {
      operands.push_back(positionsAlong(graph, sizes, i, debugContext));
      const PlaceHolder position(static_cast<unsigned>(operands.size()));
      along = Any(Rem(Add(along, position), Const(extent)));
    }
    row = row ? Any(Add(Mul(*row, Const(extent)), along)) : along;
  }
  if (inside)
    row = Any(Select(*row, Const(static_cast<unsigned>(table_.dim(0))), *inside));
  rows_ = popops::map(graph, *row, operands, prog, {debugContext, "offsets"})
              .reshape({offsets.dim(0) * product(sizes), 1});
}

Tensor JoinedDimensions::asRows(const Tensor &slices) const {
  const unsigned others = table_.rank() - 1;
  return slices.dimShuffle(order_).flatten(0, slices.rank() - others).expand({1});
}

Tensor JoinedDimensions::asSlices(const Tensor &rows, const Sizes &shape) const {
  Sizes ordered;
  std::vector<unsigned> inverse(order_.size());
  for (unsigned i = 0; i != order_.size(); ++i) {
    ordered.push_back(shape[order_[i]]);
    inverse[order_[i]] = i;
  }
  return rows.reshape(ordered).dimShuffle(inverse);
}

} // namespace copse::slices
