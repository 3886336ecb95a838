#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// A scalar that is a constant of the node's graph. Constants in expressions would give each value codelets of its own.
poplar::Tensor scalarConstant(OperatorContext &c, const poplar::Type &type, double value);

/// Indices as integers from 0, for some of which negative ones count from the end of a dimension.
poplar::Tensor nonNegative(OperatorContext &c, const poplar::Tensor &indices, std::size_t size);

/// The rows that tuples of indices name, in a table of rows whose leading dimensions were joined.
/// \param components  [n] each: the index in one dimension; negative ones count from the end
/// \param sizes, strides  of these dimensions [rows]
/// \param origins  [n]: what the other dimensions contribute [rows]; empty: nothing
/// \returns UNSIGNED_INT [n][1]
poplar::Tensor rowIndices(OperatorContext &c, const std::vector<poplar::Tensor> &components,
                          const Shape &sizes, const std::vector<std::ptrdiff_t> &strides,
                          const std::vector<std::size_t> &origins);

/// \param table  [rows][elements] \returns [n][elements]
poplar::Tensor rowsAt(OperatorContext &c, const poplar::Tensor &table, const poplar::Tensor &rows);

/// Along one dimension, an element for each index: indices of the shape of the result.
poplar::Tensor elementsAt(OperatorContext &c, const poplar::Tensor &data,
                          const poplar::Tensor &indices, unsigned axis);
/// The row of data.flatten() for each of these elements.
poplar::Tensor elementIndices(OperatorContext &c, const Shape &data, const poplar::Tensor &indices,
                              unsigned axis);
/// The same for GatherND and ScatterND: tuples in the last dimension of \p indices, after \p batch common dimensions.
poplar::Tensor tupleIndices(OperatorContext &c, const Shape &data, const poplar::Tensor &indices,
                            std::size_t batch);

} // namespace copse::onnx
