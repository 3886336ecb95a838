#pragma once

#include "poplin/ConvParams.hpp"

#include <utility>

namespace poplin {

/// Returns the convolution of the gradient with respect to the input. The caller transposes the
/// channels of the weights and reverses them in space, or lets convolution() do so.
ConvParams getGradientParams(const ConvParams &params);

/// Returns the convolution of the forward input with the output's gradients as kernel: its output
/// is the gradient with respect to the weights.
ConvParams getWeightUpdateParams(const ConvParams &fwdParams);

/// Returns 0 for 0, else (size - 1) * dilation + 1.
unsigned getDilatedSize(unsigned size, unsigned dilation);

/// Returns the index of the input element by which kernel element \p kernelIndex is multiplied for
/// output element \p outputIndex, in dimension \p dim; ~0U if there is no such element.
unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex,
                       const ConvParams &params);
/// Returns the index of the kernel element by which input element \p inputIndex is multiplied for
/// output element \p outputIndex; ~0U if there is no such element.
unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex,
                        const ConvParams &params);

///@{

/// Returns the half-open range of indices in dimension \p dim of elements that are multiplied or
/// summed with the given elements of the other two tensors; {0, 0} if there are none.

std::pair<unsigned, unsigned>
getOutputRangeForKernelIndex(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                             unsigned kernelIndex, const ConvParams &params);
std::pair<unsigned, unsigned> getOutputRangeForInputIndex(unsigned dim,
                                                          std::pair<unsigned, unsigned> outputRange,
                                                          unsigned inputIndex,
                                                          const ConvParams &params);
std::pair<unsigned, unsigned>
getOutputRangeForKernelRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                             std::pair<unsigned, unsigned> kernelIndexRange,
                             const ConvParams &params);
std::pair<unsigned, unsigned> getOutputRangeForInputRange(unsigned dim,
                                                          std::pair<unsigned, unsigned> outputRange,
                                                          std::pair<unsigned, unsigned> inputRange,
                                                          const ConvParams &params);
std::pair<unsigned, unsigned> getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                            unsigned kernelIndex, const ConvParams &params);
std::pair<unsigned, unsigned> getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                            std::pair<unsigned, unsigned> kernelIndexRange,
                                            const ConvParams &params);
std::pair<unsigned, unsigned> getInputRange(unsigned dim, unsigned outputIndex,
                                            std::pair<unsigned, unsigned> kernelIndexRange,
                                            const ConvParams &params);
std::pair<unsigned, unsigned> getInputRange(unsigned dim, unsigned outputIndex,
                                            const ConvParams &params);
std::pair<unsigned, unsigned> getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                            const ConvParams &params);
std::pair<unsigned, unsigned> getKernelRange(unsigned dim,
                                             std::pair<unsigned, unsigned> outputRange,
                                             unsigned inputIndex, const ConvParams &params);
std::pair<unsigned, unsigned> getKernelRange(unsigned dim,
                                             std::pair<unsigned, unsigned> outputRange,
                                             std::pair<unsigned, unsigned> inputRange,
                                             const ConvParams &params);
///@}

} // namespace poplin
