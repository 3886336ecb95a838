#include "poplin/ConvParams.hpp"
#include "poplin/ConvUtil.hpp"

#include <algorithm>
#include <functional>
#include <ostream>
#include <poputil/exceptions.hpp>
#include <string>
#include <tuple>
#include <utility>

namespace poplin {
namespace {

auto allOf(const ConvParams::InputTransform &t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.dilation, t.paddingLower, t.paddingUpper,
                  t.flip);
}
auto allOf(const ConvParams::OutputTransform &t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.stride, t.paddingLower, t.paddingUpper);
}
auto allOf(const ConvParams &p) {
  return std::tie(p.inputType, p.outputType, p.batchSize, p.inputFieldShape, p.kernelShape,
                  p.inputChannelsPerConvGroup, p.outputChannelsPerConvGroup, p.numConvGroups,
                  p.inputTransform, p.kernelTransform, p.outputTransform);
}

unsigned truncated(std::size_t size, const ConvParams::InputTransform &t, unsigned dim) {
  return static_cast<unsigned>(size) - t.truncationLower[dim] - t.truncationUpper[dim];
}
unsigned transformed(std::size_t size, const ConvParams::InputTransform &t, unsigned dim) {
  return t.paddingLower[dim] + getDilatedSize(truncated(size, t, dim), t.dilation[dim]) +
         t.paddingUpper[dim];
}

void requireOfConvolution(bool holds, const std::string &what) {
  if (!holds)
    throw poputil::poplibs_error("convolution: " + what);
}

std::string inDim(unsigned dim) { return " in field dimension " + std::to_string(dim); }

void validateTransform(const ConvParams::InputTransform &t, const std::vector<std::size_t> &shape,
                       const std::string &whose) {
  const std::size_t dims = shape.size();
  requireOfConvolution(t.truncationLower.size() == dims && t.truncationUpper.size() == dims &&
                           t.dilation.size() == dims && t.paddingLower.size() == dims &&
                           t.paddingUpper.size() == dims && t.flip.size() == dims,
                       "the transform of the " + whose + " must have " + std::to_string(dims) +
                           " entries in each list, one for each field dimension");
  for (unsigned d = 0; d != dims; ++d) {
    requireOfConvolution(t.dilation[d] != 0,
                         "the dilation of the " + whose + " is zero" + inDim(d));
    requireOfConvolution(static_cast<std::size_t>(t.truncationLower[d]) + t.truncationUpper[d] <=
                             shape[d],
                         "more of the " + whose + " is truncated than its " +
                             std::to_string(shape[d]) + " elements" + inDim(d));
  }
}

template <typename T> void print(std::ostream &os, const char *name, const std::vector<T> &values) {
  os << "  " << name << " {";
  for (std::size_t i = 0; i != values.size(); ++i)
    os << (i == 0 ? "" : ",") << values[i];
  os << "}\n";
}

void print(std::ostream &os, const char *name, const ConvParams::InputTransform &t) {
  os << name << ":\n";
  print(os, "truncationLower", t.truncationLower);
  print(os, "truncationUpper", t.truncationUpper);
  print(os, "dilation", t.dilation);
  print(os, "paddingLower", t.paddingLower);
  print(os, "paddingUpper", t.paddingUpper);
  print(os, "flip", t.flip);
}

void combine(std::size_t &seed, std::size_t value) {
  seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2);
}
template <typename T> void combine(std::size_t &seed, const std::vector<T> &values) {
  combine(seed, values.size());
  for (const T value : values)
    combine(seed, static_cast<std::size_t>(value));
}

} // namespace

ConvParams::InputTransform::InputTransform(std::size_t size)
    : truncationLower(size, 0), truncationUpper(size, 0), dilation(size, 1), paddingLower(size, 0),
      paddingUpper(size, 0), flip(size, false) {}

ConvParams::InputTransform::InputTransform(std::vector<unsigned> truncationLower_,
                                           std::vector<unsigned> truncationUpper_,
                                           std::vector<unsigned> dilation_,
                                           std::vector<unsigned> paddingLower_,
                                           std::vector<unsigned> paddingUpper_,
                                           std::vector<bool> flip_)
    : truncationLower(std::move(truncationLower_)), truncationUpper(std::move(truncationUpper_)),
      dilation(std::move(dilation_)), paddingLower(std::move(paddingLower_)),
      paddingUpper(std::move(paddingUpper_)), flip(std::move(flip_)) {}

ConvParams::OutputTransform::OutputTransform(std::size_t size)
    : truncationLower(size, 0), truncationUpper(size, 0), stride(size, 1), paddingLower(size, 0),
      paddingUpper(size, 0) {}

ConvParams::OutputTransform::OutputTransform(std::vector<unsigned> truncationLower_,
                                             std::vector<unsigned> truncationUpper_,
                                             std::vector<unsigned> striding,
                                             std::vector<unsigned> paddingLower_,
                                             std::vector<unsigned> paddingUpper_)
    : truncationLower(std::move(truncationLower_)), truncationUpper(std::move(truncationUpper_)),
      stride(std::move(striding)), paddingLower(std::move(paddingLower_)),
      paddingUpper(std::move(paddingUpper_)) {}

ConvParams::ConvParams(poplar::Type dataType, std::size_t batch, std::vector<std::size_t> field,
                       std::vector<std::size_t> kernel, std::size_t inputChannels,
                       std::size_t outputChannels, std::size_t groups)
    : ConvParams(dataType, dataType, batch, std::move(field), std::move(kernel), inputChannels,
                 outputChannels, groups) {}

ConvParams::ConvParams(poplar::Type inType, poplar::Type outType, std::size_t batch,
                       std::vector<std::size_t> field, std::vector<std::size_t> kernel,
                       std::size_t inputChannels, std::size_t outputChannels, std::size_t groups)
    : inputType(inType), outputType(outType), batchSize(batch), inputFieldShape(std::move(field)),
      kernelShape(std::move(kernel)), inputChannelsPerConvGroup(inputChannels),
      outputChannelsPerConvGroup(outputChannels), numConvGroups(groups),
      inputTransform(inputFieldShape.size()), kernelTransform(inputFieldShape.size()),
      outputTransform(inputFieldShape.size()) {}

ConvParams::ConvParams(poplar::Type inType, poplar::Type outType, std::size_t batch,
                       std::vector<std::size_t> field, std::vector<std::size_t> kernel,
                       std::size_t inputChannels, std::size_t outputChannels, std::size_t groups,
                       InputTransform ofInput, InputTransform ofKernel, OutputTransform ofOutput)
    : inputType(inType), outputType(outType), batchSize(batch), inputFieldShape(std::move(field)),
      kernelShape(std::move(kernel)), inputChannelsPerConvGroup(inputChannels),
      outputChannelsPerConvGroup(outputChannels), numConvGroups(groups),
      inputTransform(std::move(ofInput)), kernelTransform(std::move(ofKernel)),
      outputTransform(std::move(ofOutput)) {}

unsigned ConvParams::getTruncatedInputSize(unsigned dim) const {
  return truncated(inputFieldShape[dim], inputTransform, dim);
}
unsigned ConvParams::getTruncatedKernelSize(unsigned dim) const {
  return truncated(kernelShape[dim], kernelTransform, dim);
}
unsigned ConvParams::getTransformedInputSize(unsigned dim) const {
  return transformed(inputFieldShape[dim], inputTransform, dim);
}
unsigned ConvParams::getTransformedKernelSize(unsigned dim) const {
  return transformed(kernelShape[dim], kernelTransform, dim);
}

std::size_t ConvParams::getUntransformedOutputSize(unsigned dim) const {
  return static_cast<std::size_t>(getTransformedInputSize(dim)) + 1 - getTransformedKernelSize(dim);
}

std::size_t ConvParams::getOutputSize(unsigned dim) const {
  const std::size_t kept = getUntransformedOutputSize(dim) - outputTransform.truncationLower[dim] -
                           outputTransform.truncationUpper[dim];
  const std::size_t stride = outputTransform.stride[dim];
  return outputTransform.paddingLower[dim] + (kept + stride - 1) / stride +
         outputTransform.paddingUpper[dim];
}

std::vector<std::size_t> ConvParams::getOutputFieldShape() const {
  std::vector<std::size_t> shape;
  for (unsigned d = 0; d != getNumFieldDims(); ++d)
    shape.push_back(getOutputSize(d));
  return shape;
}

void ConvParams::validate() const {
  const std::size_t dims = inputFieldShape.size();
  requireOfConvolution(kernelShape.size() == dims,
                       "the kernel has " + std::to_string(kernelShape.size()) +
                           " dimensions, the field " + std::to_string(dims));
  requireOfConvolution(dims != 0, "there is no field dimension");
  validateTransform(inputTransform, inputFieldShape, "input");
  validateTransform(kernelTransform, kernelShape, "kernel");
  const OutputTransform &out = outputTransform;
  requireOfConvolution(out.truncationLower.size() == dims && out.truncationUpper.size() == dims &&
                           out.stride.size() == dims && out.paddingLower.size() == dims &&
                           out.paddingUpper.size() == dims,
                       "the transform of the output must have " + std::to_string(dims) +
                           " entries in each list, one for each field dimension");
  for (unsigned d = 0; d != dims; ++d) {
    requireOfConvolution(out.stride[d] != 0, "the stride is zero" + inDim(d));
    requireOfConvolution(getTransformedKernelSize(d) != 0, "the kernel is empty" + inDim(d));
    requireOfConvolution(getTransformedInputSize(d) >= getTransformedKernelSize(d),
                         "the input has " + std::to_string(getTransformedInputSize(d)) +
                             " elements after its transform, fewer than the kernel's " +
                             std::to_string(getTransformedKernelSize(d)) + inDim(d));
    requireOfConvolution(
        static_cast<std::size_t>(out.truncationLower[d]) + out.truncationUpper[d] <=
            getUntransformedOutputSize(d),
        "more of the output is truncated than its " +
            std::to_string(getUntransformedOutputSize(d)) + " elements" + inDim(d));
  }
  const auto isFloatingPoint = [](const poplar::Type &type) {
    return type == poplar::FLOAT || type == poplar::HALF;
  };
  requireOfConvolution(isFloatingPoint(inputType) && isFloatingPoint(outputType),
                       "types are HALF or FLOAT, not " + inputType.toString() + " and " +
                           outputType.toString());
}

ConvParams ConvParams::canonicalize() const {
  validate();
  ConvParams p = *this;
  for (unsigned d = 0; d != getNumFieldDims(); ++d) {
    if (p.getTruncatedInputSize(d) <= 1)
      p.inputTransform.dilation[d] = 1;
    if (p.getTruncatedKernelSize(d) <= 1)
      p.kernelTransform.dilation[d] = 1;
    // For one element, flipping swaps the padding before and after it.
    const auto unflip = [d](InputTransform &t, unsigned size) {
      if (size <= 1 && t.flip[d]) {
        t.flip[d] = false;
        std::swap(t.paddingLower[d], t.paddingUpper[d]);
      }
    };
    unflip(p.inputTransform, p.getTruncatedInputSize(d));
    unflip(p.kernelTransform, p.getTruncatedKernelSize(d));
    // The stride keeps every stride-th element; elements after the last kept one are truncated.
    const std::size_t kept = p.getUntransformedOutputSize(d) -
                             p.outputTransform.truncationLower[d] -
                             p.outputTransform.truncationUpper[d];
    if (kept != 0) {
      const auto behind = static_cast<unsigned>((kept - 1) % p.outputTransform.stride[d]);
      p.outputTransform.truncationUpper[d] += behind;
      if (kept <= p.outputTransform.stride[d])
        p.outputTransform.stride[d] = 1;
    }
  }
  return p;
}

bool operator<(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b) {
  return allOf(a) < allOf(b);
}
bool operator==(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b) {
  return allOf(a) == allOf(b);
}
bool operator!=(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b) {
  return !(a == b);
}
bool operator<(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b) {
  return allOf(a) < allOf(b);
}
bool operator==(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b) {
  return allOf(a) == allOf(b);
}
bool operator!=(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b) {
  return !(a == b);
}
bool operator<(const ConvParams &a, const ConvParams &b) { return allOf(a) < allOf(b); }
bool operator==(const ConvParams &a, const ConvParams &b) { return allOf(a) == allOf(b); }
bool operator!=(const ConvParams &a, const ConvParams &b) { return !(a == b); }

std::ostream &operator<<(std::ostream &os, const ConvParams &p) {
  os << "inputType " << p.inputType.toString() << ", outputType " << p.outputType.toString()
     << "\nbatchSize " << p.batchSize << ", numConvGroups " << p.numConvGroups
     << ", inputChannelsPerConvGroup " << p.inputChannelsPerConvGroup
     << ", outputChannelsPerConvGroup " << p.outputChannelsPerConvGroup << "\n";
  print(os, "inputFieldShape", p.inputFieldShape);
  print(os, "kernelShape", p.kernelShape);
  print(os, "inputTransform", p.inputTransform);
  print(os, "kernelTransform", p.kernelTransform);
  os << "outputTransform:\n";
  print(os, "truncationLower", p.outputTransform.truncationLower);
  print(os, "truncationUpper", p.outputTransform.truncationUpper);
  print(os, "stride", p.outputTransform.stride);
  print(os, "paddingLower", p.outputTransform.paddingLower);
  print(os, "paddingUpper", p.outputTransform.paddingUpper);
  print(os, "outputFieldShape", p.getOutputFieldShape());
  return os;
}

std::size_t hash_value(const ConvParams::InputTransform &it) {
  std::size_t seed = 0;
  combine(seed, it.truncationLower);
  combine(seed, it.truncationUpper);
  combine(seed, it.dilation);
  combine(seed, it.paddingLower);
  combine(seed, it.paddingUpper);
  combine(seed, it.flip);
  return seed;
}
std::size_t hash_value(const ConvParams::OutputTransform &ot) {
  std::size_t seed = 0;
  combine(seed, ot.truncationLower);
  combine(seed, ot.truncationUpper);
  combine(seed, ot.stride);
  combine(seed, ot.paddingLower);
  combine(seed, ot.paddingUpper);
  return seed;
}

} // namespace poplin
