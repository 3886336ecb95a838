#pragma once

#include "popops/Reduce.hpp"

#include <cstddef>
#include <poplar/OptionFlags.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace copse::reductions {

using Dims = std::vector<std::size_t>;

/// \param dims  to reduce
/// \throws poputil::poplibs_error  if there is no such reduction
void checkReduction(const poplar::Tensor &in, const poplar::Type &outType, const Dims &dims,
                    const popops::ReduceParams &params);

/// Returns the shape of the output.
Dims reducedShape(const poplar::Tensor &in, const Dims &dims);

/// Returns the type of partial results that go from tile to tile.
/// \throws poplar::invalid_option  if reduce() has no such option, or value
poplar::Type partialTypeOf(popops::Operation op, const poplar::Type &outType,
                           const poplar::OptionFlags &options);

} // namespace copse::reductions
