#pragma once

#include "popsparse/FullyConnectedParams.hpp"
#include "popsparse/MatMulParams.hpp"

#include <array>
#include <cstddef>
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>

namespace popsparse {
namespace dynamic {

/// The layout of a matrix's non-zero blocks on the device: in buckets of the same size, by rows,
/// then columns, evenly filled. So any pattern fits that has at most as many blocks as the buckets
/// have room for.
///
/// A bucket's meta information is {number of its blocks, 0, row, column, row, column, ...}, in
/// blocks; its values are the blocks' values, row-major.
struct BucketPlan {
  std::size_t rows, columns;        ///< size of the matrix, in elements
  std::array<std::size_t, 2> block; ///< rows, columns
  std::size_t buckets, blocksPerBucket;

  std::size_t blockSize() const { return block[0] * block[1]; }
  std::size_t metaPerBucket() const { return 2 + 2 * blocksPerBucket; }
  std::size_t valuesPerBucket() const { return blocksPerBucket * blockSize(); }
};

/// \param dense      columns of the dense matrix that it is multiplied with
/// \throws poputil::poplibs_error if rows or columns are too many for the meta information
BucketPlan planBuckets(const poplar::Target &target, const poplar::Type &type, std::size_t rows,
                       std::size_t columns, const std::array<std::size_t, 2> &block,
                       std::size_t nonZeroValues, std::size_t dense);

/// Plans the buckets of an operation.
/// \throws poputil::poplibs_error for more than one group, and types that are neither FLOAT nor
///   HALF
BucketPlan planOf(const FullyConnectedParams &params, const poplar::Type &type,
                  const poplar::Target &target);
BucketPlan planOf(const MatMulParams &params, const poplar::Type &type,
                  const poplar::Target &target);

/// \throws poplar::invalid_option
void checkOptions(const poplar::OptionFlags &options);

} // namespace dynamic
} // namespace popsparse
