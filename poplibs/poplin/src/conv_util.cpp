#include "poplin/ConvUtil.hpp"

#include <algorithm>

namespace poplin {
namespace {

using BeginEnd = std::pair<unsigned, unsigned>;
constexpr unsigned kNone = ~0U;

/// Returns the position of an element after truncation, dilation, padding and flip; kNone if it is
/// cut off.
unsigned transformedPosition(unsigned index, std::size_t size, const ConvParams::InputTransform &t,
                             unsigned dim, unsigned transformedSize) {
  const unsigned end = static_cast<unsigned>(size) - t.truncationUpper[dim];
  if (index < t.truncationLower[dim] || index >= end)
    return kNone;
  const unsigned at = t.paddingLower[dim] + (index - t.truncationLower[dim]) * t.dilation[dim];
  return t.flip[dim] ? transformedSize - 1 - at : at;
}

/// Returns the element at a position; kNone if it is a zero.
unsigned elementAt(unsigned position, std::size_t size, const ConvParams::InputTransform &t,
                   unsigned dim, unsigned transformedSize) {
  if (position >= transformedSize)
    return kNone;
  unsigned at = t.flip[dim] ? transformedSize - 1 - position : position;
  if (at < t.paddingLower[dim])
    return kNone;
  at -= t.paddingLower[dim];
  if (at % t.dilation[dim] != 0)
    return kNone;
  const unsigned index = at / t.dilation[dim] + t.truncationLower[dim];
  return index < size - t.truncationUpper[dim] ? index : kNone;
}

/// Returns the position in the full convolution that an output element was taken from; kNone in the
/// padding.
unsigned untransformedOutput(unsigned dim, unsigned outputIndex, const ConvParams &p) {
  const auto &t = p.outputTransform;
  if (outputIndex < t.paddingLower[dim] ||
      outputIndex >= p.getOutputSize(dim) - t.paddingUpper[dim])
    return kNone;
  return t.truncationLower[dim] + (outputIndex - t.paddingLower[dim]) * t.stride[dim];
}

void include(BeginEnd &range, unsigned index) {
  range = range.first == range.second
              ? BeginEnd(index, index + 1)
              : BeginEnd(std::min(range.first, index), std::max(range.second, index + 1));
}

/// Returns the elements of \p candidates for which \p meets holds, from the first to the last.
template <typename Meets> BeginEnd rangeWhere(BeginEnd candidates, const Meets &meets) {
  BeginEnd range(0, 0);
  for (unsigned i = candidates.first; i < candidates.second; ++i)
    if (meets(i))
      include(range, i);
  return range;
}

BeginEnd allOf(std::size_t n) { return {0, static_cast<unsigned>(n)}; }

} // namespace

unsigned getDilatedSize(unsigned size, unsigned dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex,
                       const ConvParams &p) {
  const unsigned out = untransformedOutput(dim, outputIndex, p);
  const unsigned kernel = transformedPosition(kernelIndex, p.kernelShape[dim], p.kernelTransform,
                                              dim, p.getTransformedKernelSize(dim));
  if (out == kNone || kernel == kNone)
    return kNone;
  return elementAt(out + kernel, p.inputFieldShape[dim], p.inputTransform, dim,
                   p.getTransformedInputSize(dim));
}

unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex,
                        const ConvParams &p) {
  const unsigned out = untransformedOutput(dim, outputIndex, p);
  const unsigned in = transformedPosition(inputIndex, p.inputFieldShape[dim], p.inputTransform, dim,
                                          p.getTransformedInputSize(dim));
  if (out == kNone || in == kNone || in < out)
    return kNone;
  return elementAt(in - out, p.kernelShape[dim], p.kernelTransform, dim,
                   p.getTransformedKernelSize(dim));
}

BeginEnd getOutputRangeForKernelIndex(unsigned dim, BeginEnd outputRange, unsigned kernelIndex,
                                      const ConvParams &p) {
  return rangeWhere(outputRange,
                    [&](unsigned o) { return getInputIndex(dim, o, kernelIndex, p) != kNone; });
}

BeginEnd getOutputRangeForInputIndex(unsigned dim, BeginEnd outputRange, unsigned inputIndex,
                                     const ConvParams &p) {
  return rangeWhere(outputRange,
                    [&](unsigned o) { return getKernelIndex(dim, o, inputIndex, p) != kNone; });
}

BeginEnd getOutputRangeForKernelRange(unsigned dim, BeginEnd outputRange, BeginEnd kernelRange,
                                      const ConvParams &p) {
  return rangeWhere(outputRange, [&](unsigned o) {
    for (unsigned k = kernelRange.first; k < kernelRange.second; ++k)
      if (getInputIndex(dim, o, k, p) != kNone)
        return true;
    return false;
  });
}

BeginEnd getOutputRangeForInputRange(unsigned dim, BeginEnd outputRange, BeginEnd inputRange,
                                     const ConvParams &p) {
  return rangeWhere(outputRange, [&](unsigned o) {
    for (unsigned i = inputRange.first; i < inputRange.second; ++i)
      if (getKernelIndex(dim, o, i, p) != kNone)
        return true;
    return false;
  });
}

BeginEnd getInputRange(unsigned dim, BeginEnd outputRange, unsigned kernelIndex,
                       const ConvParams &p) {
  return getInputRange(dim, outputRange, BeginEnd(kernelIndex, kernelIndex + 1), p);
}

BeginEnd getInputRange(unsigned dim, BeginEnd outputRange, BeginEnd kernelRange,
                       const ConvParams &p) {
  BeginEnd range(0, 0);
  for (unsigned o = outputRange.first; o < outputRange.second; ++o)
    for (unsigned k = kernelRange.first; k < kernelRange.second; ++k) {
      const unsigned in = getInputIndex(dim, o, k, p);
      if (in != kNone)
        include(range, in);
    }
  return range;
}

BeginEnd getInputRange(unsigned dim, unsigned outputIndex, BeginEnd kernelRange,
                       const ConvParams &p) {
  return getInputRange(dim, BeginEnd(outputIndex, outputIndex + 1), kernelRange, p);
}

BeginEnd getInputRange(unsigned dim, unsigned outputIndex, const ConvParams &p) {
  return getInputRange(dim, outputIndex, allOf(p.kernelShape[dim]), p);
}

BeginEnd getInputRange(unsigned dim, BeginEnd outputRange, const ConvParams &p) {
  return getInputRange(dim, outputRange, allOf(p.kernelShape[dim]), p);
}

BeginEnd getKernelRange(unsigned dim, BeginEnd outputRange, unsigned inputIndex,
                        const ConvParams &p) {
  return getKernelRange(dim, outputRange, BeginEnd(inputIndex, inputIndex + 1), p);
}

BeginEnd getKernelRange(unsigned dim, BeginEnd outputRange, BeginEnd inputRange,
                        const ConvParams &p) {
  return rangeWhere(allOf(p.kernelShape[dim]), [&](unsigned k) {
    for (unsigned o = outputRange.first; o < outputRange.second; ++o) {
      const unsigned in = getInputIndex(dim, o, k, p);
      if (in != kNone && in >= inputRange.first && in < inputRange.second)
        return true;
    }
    return false;
  });
}

ConvParams getGradientParams(const ConvParams &p) {
  ConvParams g = p;
  std::swap(g.inputChannelsPerConvGroup, g.outputChannelsPerConvGroup);
  // The inputs of this pass have the forward output's type, and its outputs the type of the forward
  // input.
  g.inputFieldShape = p.getOutputFieldShape();
  for (unsigned d = 0; d != p.getNumFieldDims(); ++d) {
    const bool flipped = p.inputTransform.flip[d];
    const unsigned around = p.getTransformedKernelSize(d) - 1;
    g.inputTransform.truncationLower[d] = p.outputTransform.paddingLower[d];
    g.inputTransform.truncationUpper[d] = p.outputTransform.paddingUpper[d];
    g.inputTransform.dilation[d] = p.outputTransform.stride[d];
    // The elements that the stride skipped after the last one are zeros of the gradient, too.
    const std::size_t kept = p.getUntransformedOutputSize(d) -
                             p.outputTransform.truncationLower[d] -
                             p.outputTransform.truncationUpper[d];
    const std::size_t behind = kept == 0 ? 0 : (kept - 1) % p.outputTransform.stride[d];
    g.inputTransform.paddingLower[d] = p.outputTransform.truncationLower[d] + around;
    g.inputTransform.paddingUpper[d] =
        p.outputTransform.truncationUpper[d] + static_cast<unsigned>(behind) + around;
    g.inputTransform.flip[d] = flipped;

    g.kernelTransform.truncationLower[d] = p.kernelTransform.truncationUpper[d];
    g.kernelTransform.truncationUpper[d] = p.kernelTransform.truncationLower[d];
    g.kernelTransform.paddingLower[d] = p.kernelTransform.paddingUpper[d];
    g.kernelTransform.paddingUpper[d] = p.kernelTransform.paddingLower[d];
    g.kernelTransform.flip[d] = p.kernelTransform.flip[d] != flipped;

    // The gradient of a flipped input is flipped, so padding and truncation change ends.
    g.outputTransform.truncationLower[d] = p.inputTransform.paddingLower[d];
    g.outputTransform.truncationUpper[d] = p.inputTransform.paddingUpper[d];
    g.outputTransform.stride[d] = p.inputTransform.dilation[d];
    g.outputTransform.paddingLower[d] = p.inputTransform.truncationLower[d];
    g.outputTransform.paddingUpper[d] = p.inputTransform.truncationUpper[d];
  }
  return g;
}

ConvParams getWeightUpdateParams(const ConvParams &p) {
  ConvParams w = p;
  w.batchSize = p.inputChannelsPerConvGroup;
  w.kernelShape = p.getOutputFieldShape();
  w.inputChannelsPerConvGroup = p.batchSize;
  for (unsigned d = 0; d != p.getNumFieldDims(); ++d) {
    const bool flipped = p.kernelTransform.flip[d];
    const std::size_t kept = p.getUntransformedOutputSize(d) -
                             p.outputTransform.truncationLower[d] -
                             p.outputTransform.truncationUpper[d];
    const std::size_t behind = kept == 0 ? 0 : (kept - 1) % p.outputTransform.stride[d];
    w.kernelTransform.truncationLower[d] = p.outputTransform.paddingLower[d];
    w.kernelTransform.truncationUpper[d] = p.outputTransform.paddingUpper[d];
    w.kernelTransform.dilation[d] = p.outputTransform.stride[d];
    w.kernelTransform.paddingLower[d] = p.outputTransform.truncationLower[d];
    w.kernelTransform.paddingUpper[d] =
        p.outputTransform.truncationUpper[d] + static_cast<unsigned>(behind);
    w.kernelTransform.flip[d] = flipped;
    w.inputTransform.flip[d] = p.inputTransform.flip[d] != flipped;

    w.outputTransform.truncationLower[d] = p.kernelTransform.paddingLower[d];
    w.outputTransform.truncationUpper[d] = p.kernelTransform.paddingUpper[d];
    w.outputTransform.stride[d] = p.kernelTransform.dilation[d];
    w.outputTransform.paddingLower[d] = p.kernelTransform.truncationLower[d];
    w.outputTransform.paddingUpper[d] = p.kernelTransform.truncationUpper[d];
  }
  return w;
}

} // namespace poplin
