#include "bucket_plan.hpp"
#include "coordinate_blocks.hpp"
#include "popsparse/SparsePartitioner.hpp"

#include <algorithm>
#include <memory>
#include <poputil/exceptions.hpp>
#include <tile_work/divided_up.hpp>

namespace popsparse {
namespace dynamic {
namespace {

/// Encodes \p blocks, whose values are in \p values.
template <typename T>
SparsityDataImpl<T> encoded(const BucketPlan &plan, const std::vector<CoordinateBlock> &blocks,
                            const std::vector<T> &values) {
  if (blocks.size() > plan.buckets * plan.blocksPerBucket)
    throw poputil::poplibs_error("Overflow in buckets: " + std::to_string(blocks.size()) +
                                 " non-zero blocks, and room for " +
                                 std::to_string(plan.buckets * plan.blocksPerBucket));
  SparsityDataImpl<T> data{std::vector<std::size_t>(plan.buckets * plan.metaPerBucket()),
                           std::vector<T>(plan.buckets * plan.valuesPerBucket())};
  const std::size_t size = plan.blockSize();
  for (std::size_t b = 0, next = 0; b != plan.buckets; ++b) {
    const std::size_t end = (b + 1) * blocks.size() / plan.buckets;
    std::size_t meta = b * plan.metaPerBucket(), value = b * plan.valuesPerBucket();
    data.metaInfo[meta] = end - next;
    for (meta += 2; next != end; ++next, meta += 2, value += size) {
      const CoordinateBlock &block = blocks[next];
      data.metaInfo[meta] = block.row;
      data.metaInfo[meta + 1] = block.column;
      for (std::size_t i = 0; i != size; ++i)
        data.nzValues[value + i] = values[block.values + i];
    }
  }
  return data;
}

/// Does the inverse of encoding, and sorts the blocks.
template <typename T>
std::vector<CoordinateBlock> decoded(const BucketPlan &plan, const SparsityDataImpl<T> &data) {
  if (data.metaInfo.size() != plan.buckets * plan.metaPerBucket() ||
      data.nzValues.size() != plan.buckets * plan.valuesPerBucket())
    throw poputil::poplibs_error("sparse data of " + std::to_string(data.metaInfo.size()) +
                                 " numbers and " + std::to_string(data.nzValues.size()) +
                                 " values are not those of this partitioner");
  std::vector<CoordinateBlock> blocks;
  for (std::size_t b = 0; b != plan.buckets; ++b) {
    const std::size_t meta = b * plan.metaPerBucket();
    if (data.metaInfo[meta] > plan.blocksPerBucket)
      throw poputil::poplibs_error("sparse data with more blocks than a bucket has");
    for (std::size_t i = 0; i != data.metaInfo[meta]; ++i)
      blocks.push_back({data.metaInfo[meta + 2 + 2 * i], data.metaInfo[meta + 3 + 2 * i],
                        b * plan.valuesPerBucket() + i * plan.blockSize()});
  }
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

template <typename T>
std::vector<T> valuesOf(const std::vector<CoordinateBlock> &blocks, const std::vector<T> &values,
                        std::size_t size) {
  std::vector<T> inOrder;
  for (const CoordinateBlock &block : blocks)
    for (std::size_t i = 0; i != size; ++i)
      inOrder.push_back(values[block.values + i]);
  return inOrder;
}

/// Returns where rows (or columns) of blocks begin in the values.
std::vector<std::size_t> startsOf(const std::vector<CoordinateBlock> &blocks, std::size_t lines,
                                  std::size_t size, std::size_t CoordinateBlock::*line) {
  std::vector<std::size_t> starts(lines + 1);
  for (const CoordinateBlock &block : blocks)
    starts[block.*line + 1] += size;
  for (std::size_t i = 0; i != lines; ++i)
    starts[i + 1] += starts[i];
  return starts;
}

} // namespace

template <typename T>
Partitioner<T>::Partitioner(const FullyConnectedParams &params, const poplar::Type &dataType,
                            const poplar::Target &target, const poplar::OptionFlags &options,
                            PlanningCache *, std::string) {
  checkOptions(options);
  plan_ = std::make_shared<const BucketPlan>(planOf(params, dataType, target));
}
template <typename T>
Partitioner<T>::Partitioner(const MatMulParams &params, const poplar::Type &dataType,
                            const poplar::Target &target, const poplar::OptionFlags &options,
                            PlanningCache *, std::string) {
  checkOptions(options);
  plan_ = std::make_shared<const BucketPlan>(planOf(params, dataType, target));
}

template <typename T>
SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const CSCMatrix<T> &matrix) const {
  return encoded(*plan_, blocksOf(matrix, plan_->rows, plan_->columns, plan_->block),
                 matrix.nzValues);
}
template <typename T>
SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const CSRMatrix<T> &matrix) const {
  return encoded(*plan_, blocksOf(matrix, plan_->rows, plan_->columns, plan_->block),
                 matrix.nzValues);
}
template <typename T>
SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const COOMatrix<T> &matrix) const {
  return encoded(*plan_, blocksOf(matrix, plan_->rows, plan_->columns, plan_->block),
                 matrix.nzValues);
}

template <typename T>
COOMatrix<T> Partitioner<T>::sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data) const {
  const BucketPlan &plan = *plan_;
  const auto blocks = decoded(plan, data);
  std::vector<std::size_t> rows, columns;
  for (const CoordinateBlock &block : blocks) {
    rows.push_back(block.row * plan.block[0]);
    columns.push_back(block.column * plan.block[1]);
  }
  return COOMatrix<T>(valuesOf(blocks, data.nzValues, plan.blockSize()), columns, rows, plan.block);
}
template <typename T>
CSRMatrix<T> Partitioner<T>::sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data) const {
  const BucketPlan &plan = *plan_;
  const auto blocks = decoded(plan, data);
  std::vector<std::size_t> columns;
  for (const CoordinateBlock &block : blocks)
    columns.push_back(block.column * plan.block[1]);
  return CSRMatrix<T>(
      valuesOf(blocks, data.nzValues, plan.blockSize()), columns,
      startsOf(blocks, plan.rows / plan.block[0], plan.blockSize(), &CoordinateBlock::row),
      plan.block);
}
template <typename T>
CSCMatrix<T> Partitioner<T>::sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data) const {
  const BucketPlan &plan = *plan_;
  auto blocks = decoded(plan, data);
  std::stable_sort(
      blocks.begin(), blocks.end(),
      [](const CoordinateBlock &a, const CoordinateBlock &b) { return a.column < b.column; });
  std::vector<std::size_t> rows;
  for (const CoordinateBlock &block : blocks)
    rows.push_back(block.row * plan.block[0]);
  return CSCMatrix<T>(
      valuesOf(blocks, data.nzValues, plan.blockSize()),
      startsOf(blocks, plan.columns / plan.block[1], plan.blockSize(), &CoordinateBlock::column),
      rows, plan.block);
}

template <typename T>
std::tuple<unsigned, unsigned, unsigned> Partitioner<T>::getPlanPartitions() const {
  return std::make_tuple(static_cast<unsigned>(plan_->buckets), 1u, 1u);
}
template <typename T> std::vector<std::size_t> Partitioner<T>::getmetaInfoBucketElements() const {
  return std::vector<std::size_t>(plan_->buckets, plan_->metaPerBucket());
}

template class Partitioner<float>;
template class Partitioner<double>;

} // namespace dynamic
} // namespace popsparse
