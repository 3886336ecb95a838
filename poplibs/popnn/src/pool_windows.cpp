#include "pool_windows.hpp"

#include "checks.hpp"

#include <algorithm>

namespace popnn::pooling {

std::vector<Range> inputsOfOutputs(const PoolParams &params, unsigned dim) {
  const int size = static_cast<int>(params.inputFieldShape[dim]);
  const int lower = params.inputTruncationOrPaddingLower[dim];
  const int upper = params.inputTruncationOrPaddingUpper[dim];
  // Truncated elements belong to no window.
  const int first = std::max(0, -lower), last = std::min(size, size + upper);
  std::vector<Range> ranges;
  for (std::size_t o = 0; o != params.getOutputFieldShape()[dim]; ++o) {
    const int begin = static_cast<int>(o * params.stride[dim]) - lower;
    const int end = begin + static_cast<int>(params.kernelShape[dim]);
    const int from = std::max(begin, first), to = std::min(end, last);
    ranges.push_back(from < to ? Range(from, to) : Range(0, 0));
  }
  return ranges;
}

std::vector<Range> outputsOfInputs(const PoolParams &params, unsigned dim) {
  std::vector<Range> ranges(params.inputFieldShape[dim], Range(0, 0));
  const auto windows = inputsOfOutputs(params, dim);
  for (unsigned o = 0; o != windows.size(); ++o)
    for (unsigned i = windows[o].first; i != windows[o].second; ++i)
      ranges[i] =
          ranges[i].first == ranges[i].second ? Range(o, o + 1) : Range(ranges[i].first, o + 1);
  return ranges;
}

void validate(const PoolParams &params) {
  const char *const function = "pool";
  const std::size_t dims = params.getNumFieldDims();
  require(function, dims != 0 && dims <= 8,
          "there must be 1 to 8 field dimensions, not " + std::to_string(dims));
  require(function,
          params.kernelShape.size() == dims && params.stride.size() == dims &&
              params.inputTruncationOrPaddingLower.size() == dims &&
              params.inputTruncationOrPaddingUpper.size() == dims,
          "all lists of the parameters must have " + std::to_string(dims) +
              " entries, one for each field dimension");
  for (std::size_t d = 0; d != dims; ++d) {
    const std::string inDim = " in field dimension " + std::to_string(d);
    require(function, params.stride[d] != 0, "the stride is zero" + inDim);
    require(function, params.kernelShape[d] != 0, "the kernel is empty" + inDim);
    const auto padded = static_cast<std::int64_t>(params.inputFieldShape[d]) +
                        params.inputTruncationOrPaddingLower[d] +
                        params.inputTruncationOrPaddingUpper[d];
    require(function, padded >= static_cast<std::int64_t>(params.kernelShape[d]),
            "the padded input has " + std::to_string(padded) +
                " elements, fewer than the kernel's " + std::to_string(params.kernelShape[d]) +
                inDim);
  }
  require(function, params.dType == poplar::FLOAT || params.dType == poplar::HALF,
          "the type must be FLOAT or HALF, not " + params.dType.toString());
}

} // namespace popnn::pooling
