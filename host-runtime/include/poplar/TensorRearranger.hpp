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

/// Holds an order of the elements of tensors of one shape, made by
/// Graph::getSimplifyingRearranger(). A value; changes nothing in the graph.
///
/// The functions return views, and throw poplar_error if the tensor has another number of elements
/// than the one that the order was made for, or if the order is a default-constructed one.
class TensorRearranger {
public:
  /// Makes no order; it may only be assigned to.
  TensorRearranger();
  /// Returns false for a default-constructed one.
  bool valid() const { return state_ != nullptr; }
  /// Returns the elements in this order.
  /// \returns shape [n]
  Tensor rearrange(const Tensor &t) const;
  /// Returns elements from this order to where they were.
  /// \returns the shape of the tensor that the order was made for
  Tensor undoRearrangement(const Tensor &t) const;

  ///@{

  /// Returns where the elements at \p intervals of one tensor stand in the other, in the order of
  /// \p intervals.
  /// \throws poplar_error also if an interval ends beyond the tensor
  std::vector<Interval> rearrange(ArrayRef<Interval> intervals) const;
  std::vector<Interval> undoRearrangement(ArrayRef<Interval> intervals) const;
  ///@}

private:
  friend struct copse::graph::Access;
  std::shared_ptr<const copse::graph::RearrangerState> state_;
};

} // namespace poplar
