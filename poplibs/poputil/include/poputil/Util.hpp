#pragma once

#include <climits>
#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>
#include <vector>

/// Helpers for operations: tile mappings, intervals, options, records and shapes.
namespace poputil {

/// Sorts intervals, drops empty ones and joins those that touch or overlap, in place.
void mergeAdjacentRegions(std::vector<poplar::Interval> &regions);
/// Sorts, joins and drops the intervals of each tile of a mapping in the same way.
void mergeAdjacentRegions(std::vector<std::vector<poplar::Interval>> &mapping);

/// Returns all intervals of all lists, in order.
std::vector<poplar::Interval>
flattenIntervals(const std::vector<std::vector<poplar::Interval>> &intervals);

/// Splits intervals into at most \p maxPartitions parts of nearly the same size, in order, at
/// multiples of \p grainSize counted from the start of each interval.
/// \param minElementsPerPartition  default 0; there are fewer parts if they would have less
/// \param maxElementsPerPartition  default no limit; there are more than \p maxPartitions parts if
///   they would have more
/// \param maxElementsPerRegion     default no limit; longer intervals are cut
/// \returns no empty parts
/// \throws poplibs_error if \p maxPartitions is 0
std::vector<std::vector<poplar::Interval>>
splitRegions(const std::vector<poplar::Interval> &regions, unsigned grainSize,
             unsigned maxPartitions, unsigned minElementsPerPartition = 0,
             unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);
/// Splits lists of intervals in the same way; each part is a list of such lists, which may be cut.
/// \param maxElementsPerRegion  default no limit; lists with more elements are cut
std::vector<std::vector<std::vector<poplar::Interval>>>
splitRegions(const std::vector<std::vector<poplar::Interval>> &regions, unsigned grainSize,
             unsigned maxPartitions, unsigned minElementsPerPartition = 0,
             unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);

///@{

/// Splits as splitRegions() does, with a part for each worker of a tile.
std::vector<std::vector<poplar::Interval>> splitRegionsBetweenWorkers(
    const poplar::Target &target, const std::vector<poplar::Interval> &regions, unsigned grainSize,
    unsigned minElementsPerPartition = 0, unsigned maxElementsPerPartition = UINT_MAX,
    unsigned maxElementsPerRegion = UINT_MAX);
std::vector<std::vector<std::vector<poplar::Interval>>> splitRegionsBetweenWorkers(
    const poplar::Target &target, const std::vector<std::vector<poplar::Interval>> &regions,
    unsigned grainSize, unsigned minElementsPerPartition = 0,
    unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);
///@}

/// Returns the coordinates in row-major order of position \p index.
template <class T> std::vector<T> unflattenIndex(const std::vector<T> &shape, std::size_t index) {
  std::vector<T> indices(shape.size());
  for (std::size_t i = shape.size(); i != 0; --i) {
    indices[i - 1] = static_cast<T>(index % shape[i - 1]);
    index /= shape[i - 1];
  }
  return indices;
}
/// Returns the position in row-major order of coordinates.
template <class T>
std::size_t flattenIndex(const std::vector<T> &shape, const std::vector<T> &indices) {
  std::size_t index = 0;
  for (std::size_t i = 0; i != shape.size(); ++i)
    index = index * shape[i] + indices[i];
  return index;
}

/// Returns the number of elements in all intervals.
std::size_t intervalSequenceNumElements(const std::vector<std::vector<poplar::Interval>> &sequence);

/// Adds a clone, and a copy of the values at the end of \p p.
poplar::Tensor duplicate(
    poplar::Graph &graph, const poplar::Tensor &in, poplar::program::Sequence &p,
    const poplar::DebugContext &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

/// Adds \p N clones.
/// \returns shape [N, ...]
poplar::Tensor
cloneN(poplar::Graph &graph, const poplar::Tensor &t, unsigned N,
       const poplar::DebugContext &debugContext = {},
       poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

/// Returns the sizes of \p splitCount parts of \p rangeUpperBound; the first ones are larger by
/// one.
/// \throws poplibs_error if it cannot be split so
std::vector<int> balancedPartition(int rangeUpperBound, int splitCount);

/// Returns \p input rounded to a half of \p target.
double castToDeviceHalfValue(const poplar::Target &target, double input);
/// Returns true if a value keeps its relative accuracy when it is cast from FLOAT to HALF, or back.
/// \throws poplibs_error for other types
bool checkAccuracyWhenCast(const poplar::Target &target, double input, poplar::Type inputType,
                           poplar::Type outputType, double tolerance);

/// Returns a view with each dimension d from \p startDim split into d / f and f: all quotients come
/// first, then all factors.
///
/// \code
/// Tensor g = factorDims(t, {4, 2});  // shape [8, 6] becomes [2, 3, 4, 2]
/// \endcode
/// \throws poplibs_error if a factor does not divide its dimension, or there are too many
poplar::Tensor factorDims(const poplar::Tensor &t, const std::vector<std::size_t> &factors,
                          unsigned startDim = 0);
/// Undoes factorDims() of \p numDims dimensions.
/// \throws poplibs_error if there are not twice as many dimensions
poplar::Tensor unfactorDims(const poplar::Tensor &t, unsigned numDims, unsigned startDim = 0);

} // namespace poputil
