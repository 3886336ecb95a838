#pragma once

#include "bucket_plan.hpp"

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popsparse {
namespace dynamic {

/// Operations of a matrix that lies in buckets. Each bucket works on its own tiles, which share the
/// columns of the dense matrix, or the look-ups; results of several buckets are added.
class SparseProducts {
public:
  /// Keeps references to \p graph and \p debugContext.
  SparseProducts(poplar::Graph &graph, const BucketPlan &plan,
                 const poplar::DebugContext &debugContext);

  /// \returns the tensor for SparsityDataImpl::metaInfo, UNSIGNED_SHORT
  poplar::Tensor createMeta();
  /// \returns the tensor for SparsityDataImpl::nzValues
  poplar::Tensor createValues(const poplar::Type &type);

  /// \param dense  {columns of W, N}, or {rows of W, N} if \p transposed
  /// \returns W dense, or W^T dense
  poplar::Tensor product(const poplar::Tensor &meta, const poplar::Tensor &values,
                         const poplar::Tensor &dense, bool transposed,
                         poplar::program::Sequence &prog);
  /// Returns the gradients of the values: of A {rows of W, N} times the transposed B {columns of W,
  /// N}.
  poplar::Tensor gradient(const poplar::Tensor &meta, const poplar::Tensor &a,
                          const poplar::Tensor &b, poplar::program::Sequence &prog);
  /// \returns {lookups, columns of W}
  poplar::Tensor lookup(const poplar::Tensor &meta, const poplar::Tensor &values,
                        const poplar::Tensor &indices, poplar::program::Sequence &prog);
  /// Returns the gradients of the values, in FLOAT: for each value the sum over \p slices {lookups,
  /// columns of W}.
  poplar::Tensor lookupGradient(const poplar::Tensor &meta, const poplar::Tensor &slices,
                                const poplar::Tensor &indices, poplar::program::Sequence &prog);

private:
  /// Returns how many tiles a bucket has for \p count columns or look-ups.
  std::size_t partsOf(std::size_t count) const;
  unsigned tileOf(std::size_t bucket, std::size_t part, std::size_t parts) const;
  poplar::Tensor metaOf(const poplar::Tensor &meta, std::size_t bucket) const;
  poplar::Tensor valuesOf(const poplar::Tensor &values, std::size_t bucket) const;
  poplar::VertexRef addVertex(poplar::ComputeSet cs, const char *name, const poplar::Type &type,
                              unsigned tile, std::size_t columns, std::uint64_t instructions);
  /// Adds up the first dimension.
  poplar::Tensor sum(const poplar::Tensor &partial, const poplar::Type &type,
                     poplar::program::Sequence &prog);

  poplar::Graph &graph_;
  const BucketPlan plan_;
  const poplar::DebugContext &debugContext_;
};

} // namespace dynamic
} // namespace popsparse
