#pragma once

#include "host_tensor.hpp"

namespace copse::onnx {

/// A tensor of the host with the methods of poplar::Tensor that move elements. A lowering that only
/// moves elements is a template, which works on host values and on tensors of a device. Every
/// method copies.
///
/// Errors: ModelError for sizes and dimensions out of range.
class HostArray {
public:
  explicit HostArray(HostTensor tensor) : tensor_(std::move(tensor)) {}

  const HostTensor &tensor() const { return tensor_; }
  unsigned rank() const { return static_cast<unsigned>(tensor_.shape.size()); }
  const Shape &shape() const { return tensor_.shape; }
  std::size_t dim(unsigned d) const { return tensor_.shape.at(d); }
  std::size_t numElements() const { return tensor_.elements(); }

  HostArray reshape(Shape shape) const;
  /// Inserts a dimension of size 1 at each.
  HostArray expand(const std::vector<std::size_t> &positions) const;
  HostArray dimShuffle(const std::vector<unsigned> &permutation) const;
  HostArray slice(std::size_t begin, std::size_t end, unsigned dimension) const;
  /// Takes elements 0, stride, ...
  HostArray subSample(unsigned stride, unsigned dimension) const;
  HostArray reverse(unsigned dimension) const;
  HostArray broadcast(unsigned count, unsigned dimension) const; ///< repeats the whole dimension

  friend HostArray concat(const std::vector<HostArray> &parts, unsigned dimension);

private:
  /// Returns the elements at \p first + the sum of index[d] * strides[d].
  HostArray strided(const Shape &shape, const std::vector<std::ptrdiff_t> &strides,
                    std::ptrdiff_t first) const;
  std::vector<std::ptrdiff_t> strides() const; ///< strides of the tensor itself
  void check(bool holds, const char *what) const;

  HostTensor tensor_;
};

HostArray concat(const std::vector<HostArray> &parts, unsigned dimension);

/// Calls \p visit with the position of each element of \p shape in a tensor with these strides, in
/// row-major order.
template <class Visit>
void forEachPosition(const Shape &shape, const std::vector<std::ptrdiff_t> &strides,
                     std::ptrdiff_t first, Visit visit) {
  std::vector<std::size_t> index(shape.size(), 0);
  std::ptrdiff_t position = first;
  for (std::size_t left = elementsOf(shape); left > 0; --left) {
    visit(static_cast<std::size_t>(position));
    for (std::size_t d = shape.size(); d-- > 0;) {
      position += strides[d];
      if (++index[d] < shape[d])
        break;
      position -= strides[d] * static_cast<std::ptrdiff_t>(shape[d]);
      index[d] = 0;
    }
  }
}

/// Returns the strides of a row-major tensor [elements].
std::vector<std::ptrdiff_t> stridesOf(const Shape &shape);

} // namespace copse::onnx
