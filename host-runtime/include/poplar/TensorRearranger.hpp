#pragma once

#include "poplar/Tensor.hpp"

#include <memory>

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
  /// \returns shape {n}: the elements in this order
  Tensor rearrange(const Tensor &t) const;
  /// The reverse.
  /// \returns the shape of the tensor that the order was made for
  Tensor undoRearrangement(const Tensor &t) const;

private:
  friend struct copse::graph::Access;
  std::shared_ptr<const copse::graph::RearrangerState> state_;
};

} // namespace poplar
