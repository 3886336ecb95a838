#pragma once

#include "poplin/ConvParams.hpp"

#include <cstdint>
#include <iosfwd>
#include <poplar/Target.hpp>
#include <vector>

/// Plans how a convolution is spread over tiles; a matrix product is a convolution with field {M}
/// and kernel {1}. A plan depends only on the parameters and the target.
namespace poplin::plan {

/// The input of the planner besides the parameters.
struct Demands {
  poplar::Type partialType = poplar::FLOAT;
  /// The part of a tile's memory for data that are live during the operation only.
  double availableMemoryProportion = 0.6;

  friend bool operator<(const Demands &a, const Demands &b);
};

/// The number of parts into which each dimension is cut. A tile works on one part of each
/// dimension. Tiles that differ only in their parts of the input channels or the kernel compute
/// partial sums of the same outputs.
struct Partition {
  unsigned groups = 1;
  unsigned batch = 1;
  unsigned inChannels = 1;
  unsigned outChannels = 1;
  std::vector<unsigned> field; ///< field of the output
  std::vector<unsigned> kernel;
  unsigned serial = 1; ///< parts of the output channels that are done one after the other

  unsigned tiles() const;    ///< that work at once
  unsigned partials() const; ///< that are added up for each output

  friend bool operator==(const Partition &a, const Partition &b);
};

/// The estimated cost of a plan, by which plans are compared.
struct Cost {
  std::uint64_t exchange = 0; ///< [modelled cycles]
  std::uint64_t compute = 0;  ///< [modelled cycles]
  std::uint64_t reduce = 0;   ///< adding partial sums, with their exchange [modelled cycles]
  std::uint64_t bytes = 0;    ///< on the fullest tile, while it runs
  std::uint64_t excess = 0;   ///< bytes beyond the demanded proportion

  std::uint64_t cycles() const { return exchange + compute + reduce; }
  /// A plan that fits in memory is better than one that does not; otherwise, the plan with fewer
  /// cycles is better.
  friend bool operator<(const Cost &a, const Cost &b);
};

struct Plan {
  Partition partition;
  Cost cost;
};

/// Returns the number of channels that a tile's units take at once; blocks of channels are
/// multiples of it.
unsigned inChannelGrain(const poplar::Target &target, const poplar::Type &inputType);
unsigned outChannelGrain(const poplar::Target &target, const poplar::Type &inputType,
                         const poplar::Type &partialType);

/// Returns the cycles of one tile with all of its workers for inner products of \p depth channels
/// in each of \p kernelElements, for \p rows pixels and \p width output channels.
std::uint64_t innerProductCycles(const poplar::Target &target, const poplar::Type &inputType,
                                 const poplar::Type &partialType, std::uint64_t rows,
                                 std::uint64_t depth, std::uint64_t width,
                                 std::uint64_t kernelElements);
/// Returns the cycles of one tile that adds up \p partials partial sums of \p elements elements
/// each.
std::uint64_t reduceCycles(const poplar::Target &target, const poplar::Type &partialType,
                           std::uint64_t elements, std::uint64_t partials);

Cost costOf(const ConvParams &params, const poplar::Target &target, const Demands &demands,
            const Partition &partition);
/// Returns the partitions in which one dimension is cut into the next larger or smaller number of
/// parts that changes the size of its largest part.
std::vector<Partition> neighbours(const ConvParams &params, const poplar::Target &target,
                                  const Demands &demands, const Partition &partition);
/// \returns a plan whose cost is not above the cost of any neighbour
Plan makePlan(const ConvParams &params, const poplar::Target &target, const Demands &demands);

std::ostream &operator<<(std::ostream &out, const Plan &plan);

} // namespace poplin::plan
