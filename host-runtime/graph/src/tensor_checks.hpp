#pragma once

#include "poplar/Tensor.hpp"

#include <span>
#include <string>
#include <vector>

/// Checks the arguments of Tensor's functions; messages begin with \p function.
namespace copse::graph {

std::string shapeText(std::span<const std::size_t> shape); ///< returns "{2,3}"

/// Returns the names of variables for messages: " of 'weights'", or the first few of several names;
/// nothing if the variables have no names.
std::string ofVariables(const poplar::Tensor &t);

[[noreturn]] void failOn(const poplar::Tensor &t, const char *function, const std::string &what);

/// \throws poplar::poplar_error if \p t has no dimension \p dimension
void checkDimension(const poplar::Tensor &t, unsigned dimension, const char *function);

/// \throws poplar::poplar_error if [begin, end) is not a range of the dimension
void checkRange(const poplar::Tensor &t, std::size_t begin, std::size_t end, unsigned dimension,
                const char *function);

/// \throws poplar::poplar_error if \p shape has another number of elements than \p t
void checkProduct(const poplar::Tensor &t, std::span<const std::size_t> shape,
                  const char *function);

} // namespace copse::graph
