#include "poputil/Broadcast.hpp"

#include "poputil/exceptions.hpp"

#include <algorithm>

namespace poputil {
namespace {

using Shape = std::vector<std::size_t>;

poplar::Tensor withRank(const poplar::Tensor &t, unsigned rank) {
  return rank > t.rank() ? t.expand(Shape(rank - t.rank(), 0)) : t;
}

/// \returns whether there is one; then \p common is the shape of both
bool findCommonShape(const Shape &a, const Shape &b, Shape &common) {
  const Shape &longer = a.size() < b.size() ? b : a;
  const Shape &shorter = a.size() < b.size() ? a : b;
  const std::size_t extra = longer.size() - shorter.size();
  common = longer;
  for (std::size_t i = 0; i != shorter.size(); ++i) {
    std::size_t &dim = common[extra + i];
    if (dim == 1)
      dim = shorter[i];
    else if (shorter[i] != 1 && shorter[i] != dim)
      return false;
  }
  return true;
}

Shape commonShape(const poplar::Tensor &a, const poplar::Tensor &b) {
  Shape common;
  if (!findCommonShape(a.shape(), b.shape(), common))
    throw poplibs_error("cannot broadcast tensors of shapes " + a.shapeToString() + " and " +
                        b.shapeToString() + " to a common shape");
  return common;
}

} // namespace

void expandToMatchRanks(poplar::Tensor &a, poplar::Tensor &b) {
  const unsigned rank = std::max(a.rank(), b.rank());
  a = withRank(a, rank);
  b = withRank(b, rank);
}

void broadcastToMatch(poplar::Tensor &a, const Shape &shape) {
  if (a.rank() > shape.size())
    throw poplibs_error("cannot broadcast a tensor of shape " + a.shapeToString() +
                        " to a shape of rank " + std::to_string(shape.size()));
  poplar::Tensor view = withRank(a, static_cast<unsigned>(shape.size()));
  for (unsigned i = 0; i != shape.size(); ++i) {
    if (view.dim(i) == shape[i])
      continue;
    if (view.dim(i) != 1)
      throw poplibs_error("cannot broadcast a tensor of shape " + a.shapeToString() +
                          ": dimension " + std::to_string(i) + " is " +
                          std::to_string(view.dim(i)) + ", neither 1 nor " +
                          std::to_string(shape[i]));
    view = shape[i] == 0 ? view.slice(0, 0, i) : view.broadcast(static_cast<unsigned>(shape[i]), i);
  }
  a = view;
}

void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b) {
  const Shape common = commonShape(a, b);
  broadcastToMatch(a, common);
  broadcastToMatch(b, common);
}

void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b, poplar::Tensor &c) {
  broadcastToMatch(a, b);
  broadcastToMatch(a, c);
  broadcastToMatch(b, a.shape());
}

bool canBroadcastToMatch(const poplar::Tensor &a, const poplar::Tensor &b) {
  Shape common;
  return findCommonShape(a.shape(), b.shape(), common);
}

} // namespace poputil
