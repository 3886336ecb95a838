#pragma once

#include "popnn/NonLinearityDef.hpp"

#include <iosfwd>

namespace popnn {

///@{

/// Returns or writes the word that operator>>() reads.
const char *asString(const NonLinearityType &type);
std::ostream &operator<<(std::ostream &os, const NonLinearityType &type);
///@}

/// Reads relu, sigmoid, hard_sigmoid, tanh, gelu, swish, softmax, softmax_stable, softmax_scaled.
/// \throws poputil::poplibs_error for another word
std::istream &operator>>(std::istream &in, NonLinearityType &type);

} // namespace popnn
