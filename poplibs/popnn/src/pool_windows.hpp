#pragma once

#include "popnn/Pooling.hpp"

#include <utility>
#include <vector>

namespace popnn::pooling {

/// A half-open range of one dimension.
using Range = std::pair<unsigned, unsigned>;

/// Returns, for each output of one dimension, the inputs in its window: without padding.
std::vector<Range> inputsOfOutputs(const PoolParams &params, unsigned dim);
/// Returns, for each input, the outputs whose windows contain it.
std::vector<Range> outputsOfInputs(const PoolParams &params, unsigned dim);

/// \throws poputil::poplibs_error
void validate(const PoolParams &params);

} // namespace popnn::pooling
