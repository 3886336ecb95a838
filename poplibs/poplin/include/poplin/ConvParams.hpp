#pragma once

#include <cstddef>
#include <iosfwd>
#include <poplar/Type.hpp>
#include <vector>

namespace poplin {

/// Describes a convolution: its sizes and types, and the transforms of input, kernel and output.
///
/// For each field dimension the input and the kernel are truncated, dilated (zeros between
/// elements), padded with zeros and flipped, in this order. The output is truncated, then every
/// stride-th element is kept, then it is padded with zeros. Between these transforms, the operation
/// is a cross-correlation: output[o] is the sum over k of input[o + k] * kernel[k].
///
/// \code
/// ConvParams params(HALF, batch, {224, 224}, {7, 7}, 3, 64, 1);
/// params.outputTransform.stride = {2, 2};
/// \endcode
struct ConvParams {
  /// The transform of the input or the kernel before the convolution. Every vector has one entry
  /// for each field dimension.
  struct InputTransform {
    /// The elements that are dropped at the begin.
    std::vector<unsigned> truncationLower;
    /// The elements that are dropped at the end.
    std::vector<unsigned> truncationUpper;
    /// The distance of neighbouring elements afterwards; 1: no zeros between them.
    std::vector<unsigned> dilation;
    /// The number of zeros that are added at the begin.
    std::vector<unsigned> paddingLower;
    /// The zeros at the end.
    std::vector<unsigned> paddingUpper;
    /// True: the order of elements is reversed.
    std::vector<bool> flip;

    /// Makes a transform of no dimensions.
    InputTransform() = default;
    /// Makes a transform that changes nothing in \p size dimensions.
    InputTransform(std::size_t size);
    /// Sets all members.
    InputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper,
                   std::vector<unsigned> dilation, std::vector<unsigned> paddingLower,
                   std::vector<unsigned> paddingUpper, std::vector<bool> flip);
  };

  /// The transform of the output after the convolution. Every vector has one entry for each field
  /// dimension.
  struct OutputTransform {
    /// The elements that are dropped at the begin.
    std::vector<unsigned> truncationLower;
    /// The elements that are dropped at the end.
    std::vector<unsigned> truncationUpper;
    /// Every stride-th element is kept, from the first.
    std::vector<unsigned> stride;
    /// The zeros at the begin.
    std::vector<unsigned> paddingLower;
    /// The zeros at the end.
    std::vector<unsigned> paddingUpper;

    /// Makes a transform of no dimensions.
    OutputTransform() = default;
    /// Makes a transform that changes nothing in \p size dimensions.
    OutputTransform(std::size_t size);
    /// Sets all members.
    OutputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper,
                    std::vector<unsigned> striding, std::vector<unsigned> paddingLower,
                    std::vector<unsigned> paddingUpper);
  };

  /// The type of input and kernel, HALF or FLOAT.
  poplar::Type inputType;
  /// The type of the output, HALF or FLOAT.
  poplar::Type outputType;
  /// The number of items.
  std::size_t batchSize;
  /// The sizes of the input's field dimensions.
  std::vector<std::size_t> inputFieldShape;
  /// The sizes of the kernel's field dimensions.
  std::vector<std::size_t> kernelShape;
  /// The number of input channels of each group.
  std::size_t inputChannelsPerConvGroup;
  /// The number of output channels of each group.
  std::size_t outputChannelsPerConvGroup;
  /// The number of groups, which are convolutions side by side.
  std::size_t numConvGroups;
  /// The input's transform.
  InputTransform inputTransform;
  /// The kernel's transform.
  InputTransform kernelTransform;
  /// The output's transform.
  OutputTransform outputTransform;

  /// Makes parameters of no convolution.
  ConvParams() = default;

  ///@{

  /// Describes a convolution, by default without transforms.
  /// - \p inputChannels, \p outputChannels: channels of one group
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
  ///@}

  /// Returns the size of a field dimension before the output's transform.
  std::size_t getUntransformedOutputSize(unsigned dim) const;
  /// Returns the size of a field dimension of the output.
  std::size_t getOutputSize(unsigned dim) const;

  ///@{

  /// Returns the size that the function's name says: channels of one group or in all, field
  /// dimensions, batch.
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
  ///@}

  ///@{

  /// Returns the size of a field dimension after truncation, or after the whole transform.
  unsigned getTruncatedInputSize(unsigned dim) const;
  unsigned getTruncatedKernelSize(unsigned dim) const;
  unsigned getTransformedInputSize(unsigned dim) const;
  unsigned getTransformedKernelSize(unsigned dim) const;
  ///@}

  /// Returns the sizes of the output's field dimensions.
  std::vector<std::size_t> getOutputFieldShape() const;

  /// Checks the parameters.
  /// \throws poputil::poplibs_error if lengths of vectors differ, a stride or dilation is zero,
  ///   more is truncated than there is, or the kernel is empty or larger than the input
  void validate() const;
  /// Returns the same convolution without parameters that have no effect: dilations of single
  /// elements, strides of single outputs.
  ConvParams canonicalize() const;

  ///@{

  /// Compares all members.
  friend bool operator<(const ConvParams &a, const ConvParams &b);
  friend bool operator==(const ConvParams &a, const ConvParams &b);
  friend bool operator!=(const ConvParams &a, const ConvParams &b);
  ///@}
};

///@{

/// Compares all members.
bool operator<(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b);
bool operator==(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b);
bool operator!=(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b);
bool operator<(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b);
bool operator==(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b);
bool operator!=(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b);
bool operator<(const ConvParams &a, const ConvParams &b);
bool operator==(const ConvParams &a, const ConvParams &b);
bool operator!=(const ConvParams &a, const ConvParams &b);
///@}

/// Writes the parameters as text.
std::ostream &operator<<(std::ostream &os, const ConvParams &p);

///@{

/// Returns a hash; equal transforms have equal ones. (The name is boost::hash's.)
std::size_t hash_value(const ConvParams::InputTransform &it);
std::size_t hash_value(const ConvParams::OutputTransform &ot);
///@}

} // namespace poplin
