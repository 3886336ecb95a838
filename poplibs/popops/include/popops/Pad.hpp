#pragma once

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

/// \file
/// Views of a tensor with more or fewer elements at the ends of its dimensions. No program is
/// added: padding consists of constants, or of elements of the tensor. A negative number of
/// elements crops the tensor.

namespace popops {
/// Options of pad().
namespace padding {

/// The elements that padding repeats.
enum class Type {
  /// The border element, repeated.
  EDGE,
  /// The elements inside the border, mirrored.
  REFLECT
};

/// The tiles that constants of padding are mapped to.
enum class MappingMethod {
  /// No tile: the caller maps the constants.
  NONE,
  /// Tile 0.
  ZERO,
  /// The tile of the nearest element of the tensor.
  EDGE
};

} // namespace padding

///@{

/// Returns a view of \p t surrounded by constants.
///
/// \code
/// Tensor framed = pad(graph, image, {1, 1}, {1, 1});  // [h, w] becomes [h + 2, w + 2]
/// \endcode
/// - \p paddingLower, \p paddingUpper: elements before the first and after the last one, for each
///   dimension or for \p dim
/// - \p val: converted to the type of the elements, or a tensor of one element of that type;
///   default 0
/// - \p mappingMethod: the tiles of the padding, default tile 0; a tensor \p val stays where it is
///   mapped
/// \throws poputil::poplibs_error if there is no such dimension, more is cropped than there is, or
///   \p val does not fit
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t,
                   const std::vector<std::ptrdiff_t> &paddingLower,
                   const std::vector<std::ptrdiff_t> &paddingUpper, float val = 0.0f,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t,
                   const std::vector<std::ptrdiff_t> &paddingLower,
                   const std::vector<std::ptrdiff_t> &paddingUpper, int val,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t,
                   const std::vector<std::ptrdiff_t> &paddingLower,
                   const std::vector<std::ptrdiff_t> &paddingUpper, const poplar::Tensor &val,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
                   std::ptrdiff_t paddingUpper, unsigned dim, float val = 0.0f,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
                   std::ptrdiff_t paddingUpper, unsigned dim, int val,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
                   std::ptrdiff_t paddingUpper, unsigned dim, const poplar::Tensor &val,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
///@}

///@{

/// Returns a view of \p t with its own elements repeated or mirrored at the ends.
/// \throws poputil::poplibs_error if there is no such dimension, or too few elements to repeat or
///   mirror
poplar::Tensor pad(const poplar::Tensor &t, const std::vector<std::ptrdiff_t> &paddingLower,
                   const std::vector<std::ptrdiff_t> &paddingUpper, padding::Type type);
poplar::Tensor pad(const poplar::Tensor &t, std::ptrdiff_t paddingLower,
                   std::ptrdiff_t paddingUpper, unsigned dim, padding::Type type);
///@}

} // namespace popops
