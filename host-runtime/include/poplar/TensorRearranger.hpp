#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/Interval.hpp"
#include "poplar/Tensor.hpp"

#include <memory>
#include <vector>

namespace copse {
namespace graph {
struct Access;
struct RearrangerState;
} // namespace graph
} // namespace copse

namespace poplar {

/// An order of the elements of tensors of one shape, made by Graph::getSimplifyingRearranger(). A
/// value; changes nothing in the graph.
///
/// Both functions return views, and throw poplar_error if the tensor has another number of elements
/// than that which the order was made for, or if the order is a default-constructed one.
class TensorRearranger {
public:
  TensorRearranger();
  /// False for a default-constructed one.
  bool valid() const { return state_ != nullptr; }
  /// \returns shape {n}: the elements in this order
  Tensor rearrange(const Tensor &t) const;
  /// The reverse.
  /// \returns the shape of the tensor that the order was made for
  Tensor undoRearrangement(const Tensor &t) const;
  // The same of positions: where the elements at \p intervals of one tensor stand in the other, in
  // the order of \p intervals.
  // \throws poplar_error also if an interval ends beyond the tensor
  std::vector<Interval> rearrange(ArrayRef<Interval> intervals) const;
  std::vector<Interval> undoRearrangement(ArrayRef<Interval> intervals) const;

private:
  friend struct copse::graph::Access;
  std::shared_ptr<const copse::graph::RearrangerState> state_;
};

} // namespace poplar
