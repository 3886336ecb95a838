#pragma once

#include "poplin/ConvParams.hpp"

#include <cstdint>
#include <iosfwd>
#include <poplar/Target.hpp>
#include <vector>

/// How a convolution, or a matrix product as one of field {M} and kernel {1}, is spread over tiles:
/// a pure function from its parameters and the target.
namespace poplin::plan {

/// The input of the planner besides the parameters.
struct Demands {
  poplar::Type partialType = poplar::FLOAT;
  /// Part of a tile, for data that live during the operation.
  double availableMemoryProportion = 0.6;

  friend bool operator<(const Demands &a, const Demands &b);
};

/// Into how many parts each dimension is cut. A tile works on one part of each; tiles that differ
/// in their part of the input channels or of the kernel only, add up their partial sums.
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

/// Blocks of channels are multiples of what a tile's units take at once.
unsigned inChannelGrain(const poplar::Target &target, const poplar::Type &inputType);
unsigned outChannelGrain(const poplar::Target &target, const poplar::Type &inputType,
                         const poplar::Type &partialType);

/// Cycles of one tile, all of its workers together, for inner products of \p depth channels in each
/// of \p kernelElements, for \p rows pixels and \p width output channels.
std::uint64_t innerProductCycles(const poplar::Target &target, const poplar::Type &inputType,
                                 const poplar::Type &partialType, std::uint64_t rows,
                                 std::uint64_t depth, std::uint64_t width,
                                 std::uint64_t kernelElements);
/// Cycles of one tile that adds up \p partials of \p elements each.
std::uint64_t reduceCycles(const poplar::Target &target, const poplar::Type &partialType,
                           std::uint64_t elements, std::uint64_t partials);

Cost costOf(const ConvParams &params, const poplar::Target &target, const Demands &demands,
            const Partition &partition);
/// Partitions with one dimension cut into the next larger or smaller number of parts that changes
/// the largest part.
std::vector<Partition> neighbours(const ConvParams &params, const poplar::Target &target,
                                  const Demands &demands, const Partition &partition);
/// \returns a plan whose cost is not above the cost of any neighbour
Plan makePlan(const ConvParams &params, const poplar::Target &target, const Demands &demands);

std::ostream &operator<<(std::ostream &out, const Plan &plan);

} // namespace poplin::plan
