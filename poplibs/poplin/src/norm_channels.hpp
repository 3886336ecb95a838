#pragma once

#include <poplar/Tensor.hpp>
#include <string>
#include <vector>

namespace poplin {

// Activations [N][C][field...] and vectors of their channels, as norms see them.

/// Checks that \p acts are FLOAT or HALF and have channels.
/// \throws poputil::poplibs_error
void checkActs(const char *function, const poplar::Tensor &acts);
/// Checks that \p t has an element for each channel.
/// \param what  for the message
void checkVector(const char *function, const char *what, const poplar::Tensor &acts,
                 const poplar::Tensor &t);
/// Checks that the activations are valid, and the gradients have their shape.
void checkGradients(const char *function, const poplar::Tensor &acts,
                    const poplar::Tensor &gradients);

/// Returns a view of a vector of channels that broadcasts to \p acts.
poplar::Tensor alongChannels(const poplar::Tensor &acts, const poplar::Tensor &t);
/// Returns all dimensions of \p acts except the channels.
std::vector<std::size_t> allButChannels(const poplar::Tensor &acts);

} // namespace poplin
