#pragma once

#include <cstddef>
#include <poplar/Tensor.hpp>
#include <string>
#include <utility>
#include <vector>

namespace snap {

class Graph;

/// Wraps a poplar::Tensor under snap's name, with the functions of poplar::Tensor
/// (poplar/Tensor.hpp), and its views are snap::Tensors.
///
/// Constructors that take a graph, or a tensor of the graph, do not keep it: a poplar::Tensor knows
/// its graph, and a snap::Graph may move.
class Tensor {
public:
  /// Makes an invalid tensor.
  Tensor() = default;

  ///@{

  /// Wraps a tensor.
  Tensor(poplar::Tensor tensor, const Graph &) : tensor_(std::move(tensor)) {}
  Tensor(poplar::Tensor tensor, const Tensor &) : tensor_(std::move(tensor)) {}
  ///@}

  ///@{

  /// Returns the tensor.
  poplar::Tensor &getPoplarTensor() { return tensor_; }
  const poplar::Tensor &getPoplarTensor() const { return tensor_; }
  ///@}

  ///@{

  /// Calls the function of poplar::Tensor with its name.
  bool valid() const { return tensor_.valid(); }
  poplar::Type elementType() const { return tensor_.elementType(); }
  std::size_t numElements() const { return tensor_.numElements(); }
  unsigned rank() const { return tensor_.rank(); }
  std::size_t dim(unsigned i) const { return tensor_.dim(i); }
  std::vector<std::size_t> shape() const { return tensor_.shape(); }
  std::string shapeToString() const { return tensor_.shapeToString(); }
  bool containsAliases() const { return tensor_.containsAliases(); }
  bool containsConstant() const { return tensor_.containsConstant(); }
  bool isContiguous() const { return tensor_.isContiguous(); }
  bool isParallelWriteable() const { return tensor_.isParallelWriteable(); }
  bool intersectsWith(const Tensor &other) const { return tensor_.intersectsWith(other.tensor_); }

  Tensor operator[](std::size_t i) const { return Tensor(tensor_[i]); }
  Tensor index(poplar::ArrayRef<std::size_t> indices) const {
    return Tensor(tensor_.index(indices));
  }
  Tensor slice(std::size_t begin, std::size_t end, unsigned dimension) const {
    return Tensor(tensor_.slice(begin, end, dimension));
  }
  Tensor slice(std::size_t begin, std::size_t end) const {
    return Tensor(tensor_.slice(begin, end));
  }
  Tensor slice(const poplar::Interval &region, unsigned dimension = 0) const {
    return Tensor(tensor_.slice(region, dimension));
  }
  Tensor slice(poplar::ArrayRef<std::size_t> begin, poplar::ArrayRef<std::size_t> end) const {
    return Tensor(tensor_.slice(begin, end));
  }
  std::vector<Tensor> slices(poplar::ArrayRef<poplar::Interval> intervals,
                             unsigned dimension = 0) const {
    std::vector<Tensor> parts;
    for (const poplar::Tensor &part : tensor_.slices(intervals, dimension))
      parts.push_back(Tensor(part));
    return parts;
  }
  Tensor subSample(unsigned stride, unsigned dimension) const {
    return Tensor(tensor_.subSample(stride, dimension));
  }
  Tensor upsample(unsigned scale, unsigned dimension, poplar::UpsampleMethod method) const {
    return Tensor(tensor_.upsample(scale, dimension, method));
  }
  Tensor broadcast(unsigned n, unsigned dimension) const {
    return Tensor(tensor_.broadcast(n, dimension));
  }
  Tensor reshape(poplar::ArrayRef<std::size_t> shape) const {
    return Tensor(tensor_.reshape(shape));
  }
  Tensor reshapePartial(unsigned beginDim, unsigned endDim,
                        poplar::ArrayRef<std::size_t> newDims) const {
    return Tensor(tensor_.reshapePartial(beginDim, endDim, newDims));
  }
  Tensor flatten() const { return Tensor(tensor_.flatten()); }
  Tensor flatten(unsigned dimBegin, unsigned dimEnd) const {
    return Tensor(tensor_.flatten(dimBegin, dimEnd));
  }
  Tensor dimShuffle(poplar::ArrayRef<unsigned> permutation) const {
    return Tensor(tensor_.dimShuffle(permutation));
  }
  Tensor dimShufflePartial(poplar::ArrayRef<unsigned> source,
                           poplar::ArrayRef<unsigned> destination) const {
    return Tensor(tensor_.dimShufflePartial(source, destination));
  }
  Tensor dimRoll(unsigned dimIdx, unsigned newIdx = 0) const {
    return Tensor(tensor_.dimRoll(dimIdx, newIdx));
  }
  Tensor transpose() const { return Tensor(tensor_.transpose()); }
  Tensor expand(poplar::ArrayRef<std::size_t> indices) const {
    return Tensor(tensor_.expand(indices));
  }
  Tensor squeeze(poplar::ArrayRef<std::size_t> dims) const { return Tensor(tensor_.squeeze(dims)); }
  Tensor reverse(unsigned dimension) const { return Tensor(tensor_.reverse(dimension)); }
  Tensor reinterpret(const poplar::Type &type) const { return Tensor(tensor_.reinterpret(type)); }
  ///@}

private:
  explicit Tensor(poplar::Tensor tensor) : tensor_(std::move(tensor)) {}

  poplar::Tensor tensor_;
};

/// Returns the Poplar tensors of \p ts, in order.
inline std::vector<poplar::Tensor> getPoplarTensors(const std::vector<Tensor> &ts) {
  std::vector<poplar::Tensor> plain;
  for (const Tensor &t : ts)
    plain.push_back(t.getPoplarTensor());
  return plain;
}

///@{

/// Calls poplar::concat() with snap's tensors.
inline Tensor concat(const std::vector<Tensor> &ts, unsigned dimension = 0) {
  return Tensor(poplar::concat(getPoplarTensors(ts), dimension),
                ts.empty() ? Tensor() : ts.front());
}
inline Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension = 0) {
  return concat({first, second}, dimension);
}
///@}

} // namespace snap
