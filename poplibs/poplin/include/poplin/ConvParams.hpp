#pragma once

#include <cstddef>
#include <iosfwd>
#include <poplar/Type.hpp>
#include <vector>

namespace poplin {

/// A convolution: sizes, types, and what happens to input, kernel and output around it.
///
/// For each field dimension the input and the kernel are truncated, dilated (zeros between
/// elements), padded with zeros and flipped, in this order. The output is truncated, then every
/// stride-th element is kept, then it is padded with zeros. The operation is a cross-correlation:
/// output[o] is the sum over k of input[o + k] * kernel[k].
struct ConvParams {
  /// Of the input or of the kernel. Every vector has one entry for each field dimension.
  struct InputTransform {
    std::vector<unsigned> truncationLower;
    std::vector<unsigned> truncationUpper;
    std::vector<unsigned> dilation;
    std::vector<unsigned> paddingLower;
    std::vector<unsigned> paddingUpper;
    std::vector<bool> flip;

    InputTransform() = default;
    InputTransform(std::size_t size); ///< changes nothing in \p size dimensions
    InputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper,
                   std::vector<unsigned> dilation, std::vector<unsigned> paddingLower,
                   std::vector<unsigned> paddingUpper, std::vector<bool> flip);
  };

  struct OutputTransform {
    std::vector<unsigned> truncationLower;
    std::vector<unsigned> truncationUpper;
    std::vector<unsigned> stride;
    std::vector<unsigned> paddingLower;
    std::vector<unsigned> paddingUpper;

    OutputTransform() = default;
    OutputTransform(std::size_t size);
    OutputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper,
                    std::vector<unsigned> striding, std::vector<unsigned> paddingLower,
                    std::vector<unsigned> paddingUpper);
  };

  poplar::Type inputType;
  poplar::Type outputType;
  std::size_t batchSize;
  std::vector<std::size_t> inputFieldShape;
  std::vector<std::size_t> kernelShape;
  std::size_t inputChannelsPerConvGroup;
  std::size_t outputChannelsPerConvGroup;
  std::size_t numConvGroups;
  InputTransform inputTransform;
  InputTransform kernelTransform;
  OutputTransform outputTransform;

  ConvParams() = default;
  /// \param inputChannels, outputChannels  of one group
  ConvParams(poplar::Type dataType, std::size_t batchSize, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::size_t inputChannels,
             std::size_t outputChannels, std::size_t numConvGroups);
  ConvParams(poplar::Type inputType, poplar::Type outputType, std::size_t batchSize,
             std::vector<std::size_t> inputFieldShape, std::vector<std::size_t> kernelShape,
             std::size_t inputChannels, std::size_t outputChannels, std::size_t numConvGroups);
  ConvParams(poplar::Type inputType, poplar::Type outputType, std::size_t batchSize,
             std::vector<std::size_t> inputFieldShape, std::vector<std::size_t> kernelShape,
             std::size_t inputChannels, std::size_t outputChannels, std::size_t numConvGroups,
             InputTransform inputTransform, InputTransform kernelTransform,
             OutputTransform outputTransform);

  std::size_t getUntransformedOutputSize(unsigned dim) const; ///< before the output's transform
  std::size_t getOutputSize(unsigned dim) const;
  std::size_t getNumOutputChansPerConvGroup() const { return outputChannelsPerConvGroup; }
  std::size_t getNumOutputChans() const { return outputChannelsPerConvGroup * numConvGroups; }
  std::size_t getInputSize(unsigned dim) const { return inputFieldShape[dim]; }
  std::size_t getNumInputChansPerConvGroup() const { return inputChannelsPerConvGroup; }
  std::size_t getNumInputChans() const { return inputChannelsPerConvGroup * numConvGroups; }
  std::size_t getNumConvGroups() const { return numConvGroups; }
  std::size_t getNumFieldDims() const { return inputFieldShape.size(); }
  std::vector<std::size_t> getInputFieldShape() const { return inputFieldShape; }
  std::vector<std::size_t> getKernelShape() const { return kernelShape; }
  std::size_t getBatchSize() const { return batchSize; }
  unsigned getTruncatedInputSize(unsigned dim) const;
  unsigned getTruncatedKernelSize(unsigned dim) const;
  unsigned getTransformedInputSize(unsigned dim) const;
  unsigned getTransformedKernelSize(unsigned dim) const;
  std::vector<std::size_t> getOutputFieldShape() const;

  /// \throws poputil::poplibs_error if lengths of vectors differ, a stride or dilation is zero, more
  /// is truncated than there is, or the kernel is empty or larger than the input
  void validate() const;
  /// The same convolution with what has no effect removed: dilations of single elements, strides of
  /// single outputs.
  ConvParams canonicalize() const;

  friend bool operator<(const ConvParams &a, const ConvParams &b);
  friend bool operator==(const ConvParams &a, const ConvParams &b);
  friend bool operator!=(const ConvParams &a, const ConvParams &b);
};

bool operator<(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b);
bool operator==(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b);
bool operator!=(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b);
bool operator<(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b);
bool operator==(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b);
bool operator!=(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b);
bool operator<(const ConvParams &a, const ConvParams &b);
bool operator==(const ConvParams &a, const ConvParams &b);
bool operator!=(const ConvParams &a, const ConvParams &b);

std::ostream &operator<<(std::ostream &os, const ConvParams &p);
std::size_t hash_value(const ConvParams::InputTransform &it);
std::size_t hash_value(const ConvParams::OutputTransform &ot);

} // namespace poplin
