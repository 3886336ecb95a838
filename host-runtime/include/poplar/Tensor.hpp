#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/Interval.hpp"
#include "poplar/ProgramNames.hpp"
#include "poplar/StringRef.hpp"
#include "poplar/Type.hpp"
#include "poplar/TypeTraits.hpp"
#include "poplar/UpsampleMethod.hpp"
#include "poplar/VariableRef.hpp"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace copse {
namespace graph {
struct Access;
struct TensorState;
} // namespace graph
} // namespace copse

namespace poplar {

/// A view of variables and constants: a shape, and for every position in row-major order one
/// element. It holds no data, is cheap to copy, and changes nothing in the graph; every view
/// function returns a new Tensor.
///
/// Errors: a wrong dimension, index, range or shape is a poplar_error that names the function and
/// the shape; so is any use of an invalid tensor except valid(), == and copying.  Thread: const
/// functions may run at the same time.
class Tensor {
public:
  Tensor();
  bool valid() const; ///< false for a default-constructed tensor

  Type elementType() const;
  std::vector<std::size_t> shape() const;
  std::size_t dim(unsigned i) const;
  unsigned rank() const;
  std::size_t numElements() const; ///< 1 for rank 0

  /// True if there are no elements, or if all elements follow each other in one variable, on any
  /// tiles.
  bool isContiguous() const;
  /// The longest runs of positions, in flattened order, whose elements follow each other in one
  /// variable.
  std::vector<Interval> getContiguousRegions() const;
  /// The same runs, as elements of variables.
  std::vector<VariableInterval> getVarRegions() const;
  bool containsAliases() const;                   ///< some element stands at two positions
  bool containsConstant() const;                  ///< some element belongs to a constant
  bool isParallelWriteable() const;               ///< neither of these
  bool intersectsWith(const Tensor &other) const; ///< some element is in both

  /// Whether it is known what its quarters mean. Views have the metadata of what they are made of.
  bool hasMetadata() const;
  /// QUARTER_METADATA, shape {}; an invalid tensor for elements that mean something without.
  /// \throws tensor_metadata_error for quarters that have none
  Tensor getMetadata() const;

  std::string shapeToString() const; ///< "{2,3}"
  void dump() const;                 ///< describes the tensor on standard error
  std::string getDebugStr() const;   ///< type, shape and the variables' names
  std::string getVarStr() const;     ///< the variables' names

  /// Where the elements lie in variables, one run to a line.
  void outputRegions(std::ostream &out) const;
  void dumpRegions(std::ostream &out) const { outputRegions(out); }
  void dumpRegions() const; ///< the same on standard error

  /// The one element of a constant, converted to T as by a cast.
  /// \returns false, and leaves \p value alone, if the tensor has more elements or fewer, or if its
  /// element belongs to a variable, or to a constant that differs between replicas
  template <typename T> bool getConstantValue(T *value) const {
    return getConstantData(value, TypeTraits::make<T>());
  }
  /// The same for a host type that \p traits describes.
  /// \throws type_error if it is no number
  bool getConstantData(void *value, const TypeTraits &traits) const;

  /// Row \p i, without its dimension.
  Tensor operator[](std::size_t i) const &;
  /// Drops the first indices.size() dimensions.
  Tensor index(ArrayRef<std::size_t> indices) const;
  /// Keeps [begin, end) of one dimension; begin == end gives an empty one.
  Tensor slice(std::size_t begin, std::size_t end, unsigned dimension) const;
  Tensor slice(std::size_t begin, std::size_t end) const;
  Tensor slice(const Interval &region, unsigned dimension = 0) const;
  /// A box of the leading dimensions.
  Tensor slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const;
  std::vector<Tensor> slices(ArrayRef<Interval> intervals, unsigned dimension = 0) const;
  // What stands in braces says which of these is meant.
  std::vector<Tensor> slices(std::initializer_list<Interval> intervals,
                             unsigned dimension = 0) const {
    return slices(ArrayRef<Interval>(intervals), dimension);
  }
  std::vector<Tensor> slices(std::initializer_list<unsigned> indices,
                             unsigned dimension = 0) const {
    return slices(ArrayRef<unsigned>(indices), dimension);
  }
  /// Result i is the concatenation of the slices of list i. Intervals may name indices beyond the
  /// end: they count in the result's shape, and any use of such an element (to connect, copy or map
  /// it) throws poplar_error.
  std::vector<Tensor> slices(const std::vector<std::vector<Interval>> &intervals,
                             unsigned dimension = 0) const;
  /// One slice of size 1 for each index.
  std::vector<Tensor> slices(ArrayRef<unsigned> indices, unsigned dimension = 0) const;
  /// Every \p stride-th position, from the first.
  Tensor subSample(unsigned stride, unsigned dimension) const;
  Tensor upsample(unsigned scale, unsigned dimension, UpsampleMethod method) const;
  /// The whole tensor \p n times, one after the other, along \p dimension.
  Tensor broadcast(unsigned n, unsigned dimension) const;
  Tensor reshape(ArrayRef<std::size_t> shape) const;
  /// Replaces dimensions [beginDim, endDim) by \p newDims, of the same product.
  Tensor reshapePartial(unsigned beginDim, unsigned endDim, ArrayRef<std::size_t> newDims) const;
  Tensor flatten() const;
  /// Joins dimensions [dimBegin, dimEnd).
  Tensor flatten(unsigned dimBegin, unsigned dimEnd) const;
  /// New dimension i is old dimension permutation[i].
  Tensor dimShuffle(ArrayRef<unsigned> permutation) const;
  /// Old dimension source[k] becomes destination[k]; the others keep their order.
  Tensor dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const;
  /// Moves one dimension; the others keep their order.
  Tensor dimRoll(unsigned dimIdx, unsigned newIdx = 0) const;
  /// All dimensions in reverse order: for a matrix, its transpose.
  Tensor transpose() const;
  /// Puts a dimension of size 1 before each listed dimension of this tensor; its rank means at the
  /// end.
  Tensor expand(ArrayRef<std::size_t> indices) const;
  /// Drops the listed dimensions, all of size 1.
  Tensor squeeze(ArrayRef<std::size_t> dims) const;
  Tensor reverse(unsigned dimension) const;
  /// The same bits as another type of the same size; still the same memory.
  Tensor reinterpret(const Type &type) const;

  /// Same shape, type and elements, in the same order. Two invalid tensors are equal.
  friend bool operator==(const Tensor &a, const Tensor &b);
  friend bool operator!=(const Tensor &a, const Tensor &b) { return !(a == b); }

private:
  friend struct copse::graph::Access;
  friend struct std::hash<Tensor>;
  std::size_t hash() const;

  std::shared_ptr<const copse::graph::TensorState> state_;
};

bool operator==(const Tensor &a, const Tensor &b);
std::ostream &operator<<(std::ostream &out, const Tensor &tensor);

/// Joins tensors along a dimension. All ranks, all other dimensions, all types and, of quarters,
/// all metadata are equal; \p ts is not empty.
Tensor concat(ArrayRef<Tensor> ts, unsigned dimension = 0);
Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension = 0);
/// Adds \p extra, which has one dimension less than \p t, at the end of \p dimension.
Tensor append(const Tensor &t, const Tensor &extra, unsigned dimension);
Tensor append(const Tensor &t, const Tensor &extra);

} // namespace poplar

namespace std {
template <> struct hash<poplar::Tensor> {
  size_t operator()(const poplar::Tensor &tensor) const { return tensor.hash(); }
};
} // namespace std
