#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Returns a scalar that is a constant of the node's graph. Constants in expressions would need
/// separate codelets for each value.
poplar::Tensor scalarConstant(OperatorContext &c, const poplar::Type &type, double value);

/// Converts indices to indices from 0. Negative ones count from the end of a dimension.
poplar::Tensor nonNegative(OperatorContext &c, const poplar::Tensor &indices, std::size_t size);

/// Returns the rows that tuples of indices name, in a table of rows whose leading dimensions were
/// joined.
/// \param components      [n] each: the index in one dimension; negative ones count from the end
/// \param sizes, strides  sizes and strides of these dimensions [rows]
/// \param origins         [n]: the contribution of the other dimensions [rows]; empty: 0
/// \returns UNSIGNED_INT [n][1]
poplar::Tensor rowIndices(OperatorContext &c, const std::vector<poplar::Tensor> &components,
                          const Shape &sizes, const std::vector<std::ptrdiff_t> &strides,
                          const std::vector<std::size_t> &origins);

/// Returns rows of a table.
/// \param table  [rows][elements]
/// \returns [n][elements]
poplar::Tensor rowsAt(OperatorContext &c, const poplar::Tensor &table, const poplar::Tensor &rows);

/// Returns the element at each index along one dimension. The indices have the shape of the result.
poplar::Tensor elementsAt(OperatorContext &c, const poplar::Tensor &data,
                          const poplar::Tensor &indices, unsigned axis);
/// Returns the row in data.flatten() of each of these elements.
poplar::Tensor elementIndices(OperatorContext &c, const Shape &data, const poplar::Tensor &indices,
                              unsigned axis);
/// Returns rows for GatherND and ScatterND: tuples are in the last dimension of \p indices, after
/// \p batch common dimensions.
poplar::Tensor tupleIndices(OperatorContext &c, const Shape &data, const poplar::Tensor &indices,
                            std::size_t batch);

} // namespace copse::onnx
