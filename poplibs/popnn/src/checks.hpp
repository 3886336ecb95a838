#pragma once

#include <poplar/Tensor.hpp>
#include <string>

namespace popnn {

/// \throws poputil::poplibs_error that names the function
void require(const char *function, bool holds, const std::string &what);
/// Checks that the tensor is FLOAT or HALF.
void requireFloatingPoint(const char *function, const poplar::Tensor &t);

} // namespace popnn
