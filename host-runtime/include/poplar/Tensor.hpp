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
/// element. A tensor holds no data, is cheap to copy, and changes nothing in the graph; every view
/// function returns a new Tensor of the same elements. See User guide, 2.1 and 2.2.
///
/// \code
/// Tensor columns = x.transpose();         // x of shape [batch, in] as [in, batch]
/// Tensor half = x.slice(0, n / 2, 1);     // shape [batch, n / 2]
/// \endcode
///
/// Errors: a wrong dimension, index, range or shape is a poplar_error that names the function and
/// the shape; so is any use of an invalid tensor except valid(), == and copying.  Thread: const
/// functions may run at the same time.
class Tensor {
public:
  /// Makes an invalid tensor, which may only be assigned to.
  Tensor();
  /// Returns false for a default-constructed tensor.
  bool valid() const;

  /// Returns the type of all elements.
  Type elementType() const;
  /// Returns the sizes of all dimensions; empty for rank 0.
  std::vector<std::size_t> shape() const;
  /// Returns the size of dimension \p i.
  std::size_t dim(unsigned i) const;
  /// Returns the number of dimensions; 0 for a single element.
  unsigned rank() const;
  /// Returns the product of the shape; 1 for rank 0.
  std::size_t numElements() const;

  /// Returns true if there are no elements, or if all elements follow each other in one variable,
  /// on any tiles.
  bool isContiguous() const;
  /// Returns the longest runs of positions, in flattened order, whose elements follow each other in
  /// one variable.
  std::vector<Interval> getContiguousRegions() const;
  /// Returns the same runs, as elements of variables.
  std::vector<VariableInterval> getVarRegions() const;
  /// Returns true if some element is at two positions.
  bool containsAliases() const;
  /// Returns true if some element belongs to a constant.
  bool containsConstant() const;
  /// Returns true if there are neither aliases nor constants: vertices may write all positions in
  /// parallel.
  bool isParallelWriteable() const;
  /// Returns true if some element is in both tensors.
  bool intersectsWith(const Tensor &other) const;

  /// Returns true if the tensor's quarters have metadata. Views have the metadata of what they are
  /// made of.
  bool hasMetadata() const;
  /// Returns the metadata of quarters: QUARTER_METADATA, shape {}. For any other type the result is
  /// an invalid tensor.
  /// \throws tensor_metadata_error for quarters without metadata
  Tensor getMetadata() const;

  /// Returns the shape as text: "{2,3}".
  std::string shapeToString() const;
  /// Writes getDebugStr() to standard error.
  void dump() const;
  /// Returns type, shape and the variables' names as text.
  std::string getDebugStr() const;
  /// Returns the variables' names as text.
  std::string getVarStr() const;

  /// Writes where the elements lie in variables, one run to a line.
  void outputRegions(std::ostream &out) const;
  /// Writes the same, by another name.
  void dumpRegions(std::ostream &out) const { outputRegions(out); }
  /// Writes the same to standard error.
  void dumpRegions() const;

  /// Reads the one element of a constant, converted to T as by a cast.
  /// \returns false, and leaves \p value alone, if the tensor has more elements or fewer, or if its
  ///   element belongs to a variable, or to a constant that differs between replicas
  template <typename T> bool getConstantValue(T *value) const {
    return getConstantData(value, TypeTraits::make<T>());
  }
  /// Reads the same as a host type that \p traits describes.
  /// \throws type_error if it is no number
  bool getConstantData(void *value, const TypeTraits &traits) const;

  /// Returns entry \p i of the first dimension, without that dimension: shape [a, b, c] gives [b,
  /// c].
  Tensor operator[](std::size_t i) const &;
  /// Returns the entry at \p indices, without the first indices.size() dimensions.
  Tensor index(ArrayRef<std::size_t> indices) const;

  ///@{

  /// Returns the part [begin, end) of one dimension; begin == end gives an empty one.
  /// - \p dimension: default 0
  Tensor slice(std::size_t begin, std::size_t end, unsigned dimension) const;
  Tensor slice(std::size_t begin, std::size_t end) const;
  Tensor slice(const Interval &region, unsigned dimension = 0) const;
  ///@}

  /// Returns a box of the leading dimensions: [begin[i], end[i]) of each dimension i.
  Tensor slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const;

  ///@{

  /// Returns slices of one dimension, by default the first: one for each interval, or one of size 1
  /// for each index. The type in braces says which is meant.
  std::vector<Tensor> slices(ArrayRef<Interval> intervals, unsigned dimension = 0) const;
  std::vector<Tensor> slices(std::initializer_list<Interval> intervals,
                             unsigned dimension = 0) const {
    return slices(ArrayRef<Interval>(intervals), dimension);
  }
  std::vector<Tensor> slices(std::initializer_list<unsigned> indices,
                             unsigned dimension = 0) const {
    return slices(ArrayRef<unsigned>(indices), dimension);
  }
  ///@}

  /// Returns for each list of intervals the concatenation of its slices. Intervals may name indices
  /// beyond the end: they count in the result's shape, and any use of such an element (to connect,
  /// copy or map it) throws poplar_error.
  std::vector<Tensor> slices(const std::vector<std::vector<Interval>> &intervals,
                             unsigned dimension = 0) const;
  /// Returns one slice of size 1 for each index.
  std::vector<Tensor> slices(ArrayRef<unsigned> indices, unsigned dimension = 0) const;
  /// Returns every \p stride-th position of a dimension, beginning with the first.
  Tensor subSample(unsigned stride, unsigned dimension) const;
  /// Returns a tensor whose \p dimension is \p scale times as long; with UpsampleMethod::REPEAT,
  /// each position is repeated \p scale times in a row.
  Tensor upsample(unsigned scale, unsigned dimension, UpsampleMethod method) const;
  /// Returns the whole tensor \p n times, one after the other, along \p dimension. All repetitions
  /// are the same elements.
  Tensor broadcast(unsigned n, unsigned dimension) const;
  /// Returns the same elements, in row-major order, in another shape with as many elements.
  Tensor reshape(ArrayRef<std::size_t> shape) const;
  /// Returns the tensor with dimensions [beginDim, endDim) replaced by \p newDims, of the same
  /// product.
  Tensor reshapePartial(unsigned beginDim, unsigned endDim, ArrayRef<std::size_t> newDims) const;
  /// Returns the same elements in shape [numElements].
  Tensor flatten() const;
  /// Returns the tensor with dimensions [dimBegin, dimEnd) joined to one.
  Tensor flatten(unsigned dimBegin, unsigned dimEnd) const;
  /// Returns the tensor with its dimensions permuted: new dimension i is old dimension
  /// permutation[i].
  Tensor dimShuffle(ArrayRef<unsigned> permutation) const;
  /// Returns the tensor with some dimensions moved: old dimension source[k] becomes destination[k];
  /// the others keep their order.
  Tensor dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const;
  /// Returns the tensor with one dimension moved; the others keep their order.
  Tensor dimRoll(unsigned dimIdx, unsigned newIdx = 0) const;
  /// Returns the tensor with all dimensions in reverse order: for a matrix, its transpose.
  Tensor transpose() const;
  /// Returns the tensor with a dimension of size 1 before each listed dimension; its rank stands
  /// for the end.
  Tensor expand(ArrayRef<std::size_t> indices) const;
  /// Returns the tensor without the listed dimensions, which all have size 1.
  Tensor squeeze(ArrayRef<std::size_t> dims) const;
  /// Returns the tensor with the positions of one dimension in reverse order.
  Tensor reverse(unsigned dimension) const;
  /// Returns the same bits as another type of the same size; still the same memory.
  Tensor reinterpret(const Type &type) const;

  ///@{

  /// Compares shape, type and elements, in their order. Two invalid tensors are equal.
  friend bool operator==(const Tensor &a, const Tensor &b);
  friend bool operator!=(const Tensor &a, const Tensor &b) { return !(a == b); }
  ///@}

private:
  friend struct copse::graph::Access;
  friend struct std::hash<Tensor>;
  std::size_t hash() const;

  std::shared_ptr<const copse::graph::TensorState> state_;
};

/// Returns true if both tensors show the same elements in the same shape.
bool operator==(const Tensor &a, const Tensor &b);
/// Writes type, shape and variables as text.
std::ostream &operator<<(std::ostream &out, const Tensor &tensor);

///@{

/// Joins tensors along a dimension, by default the first.
/// - \p ts: not empty; all ranks, all other dimensions, all types and, of quarters, all metadata
///   are equal
/// \throws poplar_error if they are not; tensor_metadata_error for different metadata
Tensor concat(ArrayRef<Tensor> ts, unsigned dimension = 0);
Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension = 0);
///@}

///@{

/// Joins \p extra, which has one dimension less than \p t, to the end of \p dimension, by default
/// the first.
Tensor append(const Tensor &t, const Tensor &extra, unsigned dimension);
Tensor append(const Tensor &t, const Tensor &extra);
///@}

} // namespace poplar

namespace std {
/// Hashes tensors, equal ones alike.
template <> struct hash<poplar::Tensor> {
  size_t operator()(const poplar::Tensor &tensor) const { return tensor.hash(); }
};
} // namespace std
