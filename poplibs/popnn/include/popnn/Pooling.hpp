#pragma once

#include "popnn/PoolingDef.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace popnn {
/// Pooling: windows over each channel.
namespace pooling {

/// Describes pooling by windows of a kernel's shape over each channel. Vectors have an entry for
/// each field dimension.
struct PoolParams {
  /// The kind of pooling.
  PoolingType poolingType;
  /// The sizes of the input's field dimensions.
  std::vector<std::size_t> inputFieldShape;
  /// The sizes of a window.
  std::vector<std::size_t> kernelShape;
  /// The distance of neighbouring windows.
  std::vector<unsigned> stride;
  /// Elements that are added at the begin, if positive, or dropped, if negative.
  std::vector<int> inputTruncationOrPaddingLower;
  /// Elements that are added at the end, if positive, or dropped, if negative.
  std::vector<int> inputTruncationOrPaddingUpper;
  /// The number of channels.
  std::size_t numChannels;
  /// The number of items.
  std::size_t batchSize;
  /// The type of the elements.
  poplar::Type dType;

  /// Sets all members.
  PoolParams(PoolingType poolingType, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::vector<unsigned> stride,
             std::vector<int> inputTruncationOrPaddingLower,
             std::vector<int> inputTruncationOrPaddingUpper, std::size_t numChannels,
             std::size_t batchSize, poplar::Type dType);

  /// Returns the number of field dimensions.
  std::size_t getNumFieldDims() const { return inputFieldShape.size(); }
  /// Returns floor((input + lower + upper - kernel) / stride) + 1 for each field dimension.
  std::vector<std::size_t> getOutputFieldShape() const;
};

/// Writes the parameters as text.
std::ostream &operator<<(std::ostream &o, const PoolParams &params);
/// Returns the enumerator's word.
const char *asString(const PoolingType &method);

/// Returns params.getOutputFieldShape().
std::vector<std::size_t> getOutputFieldShape(const PoolParams &params);

///@{

/// Returns the additions, comparisons and divisions of a pass.
std::uint64_t getFwdFlops(const PoolParams &params);
std::uint64_t getBwdFlops(const PoolParams &params);
///@}

///@{

/// Returns the cycles of a pass in which every tile processes one vector in each cycle.
double getFwdPerfectCycleCount(const poplar::Graph &graph, const PoolParams &params);
double getBwdPerfectCycleCount(const poplar::Graph &graph, const PoolParams &params);
///@}

// Options poolUseIntrospectiveMapping, optimizeForSpeed and useFloatPartialsWhereBeneficial are
// checked and have no effect: sums are FLOAT.

/// Computes the largest element, the mean or the sum of each window. Padding does not count: it is
/// never the largest element, adds nothing, and is not among the elements of a mean. A window that
/// contains only padding gives 0.
/// \param in  shape [batch, channels, field...], of params.dType
/// \param options  checked, without effect
/// \returns shape [batch, channels, output field...]
/// \throws poputil::poplibs_error if the shape, type or parameters do not fit;
///   poplar::invalid_option
poplar::Tensor pool(poplar::Graph &graph, const PoolParams &params, const poplar::Tensor &in,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {});

/// Computes the gradient with respect to the input. For MAX, every element that equals the maximum
/// gets the gradient of its window.
/// \param useScaledGradient  for MAX: true: the gradient is divided by the number of these elements
/// \returns a tensor of the shape of \p in
/// \throws poputil::poplibs_error if shapes or types do not fit; poplar::invalid_option
poplar::Tensor poolInputGradient(poplar::Graph &graph, const PoolParams &params,
                                 const poplar::Tensor &in, const poplar::Tensor &pooled,
                                 const poplar::Tensor &pooledGradient, bool useScaledGradient,
                                 poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {});
/// Computes the gradient with respect to the input for AVG and SUM, which do not depend on the
/// input. Otherwise like the function with the input.
/// \param fwdChansPerGroup  accepted, without effect
poplar::Tensor poolInputGradient(poplar::Graph &graph, const PoolParams &params,
                                 const unsigned fwdChansPerGroup,
                                 const poplar::Tensor &pooledGradient,
                                 poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {});

} // namespace pooling
} // namespace popnn
