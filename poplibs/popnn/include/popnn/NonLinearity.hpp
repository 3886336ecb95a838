#pragma once

#include "popnn/NonLinearityDef.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

/// Layers of neural networks: non-linearities, losses, norms, pooling, recurrent layers. See User
/// guide, 6.
namespace popnn {

/// \file
/// Functions of every element, FLOAT or HALF, and softmax of every row along the innermost
/// dimension.
///
/// nonLinearityScaling is set to a factor by which the result is multiplied: 62000 for
/// SOFTMAX_SCALED, else 1. The losses call it modelOutputScaling. A tensor that is changed in place
/// must have neither constants nor an element twice.

///@{

/// Computes a non-linearity of \p t, as a new tensor of its shape and type.
/// \throws poputil::poplibs_error if the type does not fit
poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType nonLinearityType,
                            poplar::Tensor t, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});
poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType nonLinearityType,
                            poplar::Tensor t, float &nonLinearityScaling,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});
///@}

///@{

/// Computes a non-linearity of \p t in place; otherwise as nonLinearity().
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, poplar::Tensor t,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, poplar::Tensor t,
                         float &nonLinearityScaling, poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});
///@}

///@{

/// Adds vertices to \p cs that compute a non-linearity of \p t in place. Not for softmax.
/// \throws poputil::poplibs_error if the type does not fit, for softmax, or if \p t cannot be
///   written
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, poplar::Tensor t,
                         poplar::ComputeSet &cs, const poplar::DebugContext &debugContext = {});
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, poplar::Tensor t,
                         float &nonLinearityScaling, poplar::ComputeSet &cs,
                         const poplar::DebugContext &debugContext = {});
///@}

/// Computes the gradient with respect to the argument.
/// \param act  the function's result for SIGMOID, RELU, TANH and softmax; its argument for GELU,
///   SWISH and HARD_SIGMOID
/// \param outGradient  gradient with respect to the result, of the same shape and type
/// \returns a new tensor of that shape and type
/// \throws poputil::poplibs_error if shapes or types do not fit
poplar::Tensor nonLinearityInputGradient(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                         poplar::Tensor act, poplar::Tensor outGradient,
                                         poplar::program::Sequence &prog,
                                         const poplar::DebugContext &debugContext = {});
/// Adds vertices to \p cs that compute the gradient. Not for softmax; otherwise as above.
poplar::Tensor nonLinearityInputGradient(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                         poplar::Tensor act, poplar::Tensor outGradient,
                                         poplar::ComputeSet &cs,
                                         const poplar::DebugContext &debugContext = {});

/// Defines the functions of a non-linearity; for this file only.
#define POPNN_NAMED(name, type)                                                                    \
  inline poplar::Tensor name(poplar::Graph &graph, poplar::Tensor t,                               \
                             poplar::program::Sequence &prog,                                      \
                             const poplar::DebugContext &debugContext = {}) {                      \
    return nonLinearity(graph, NonLinearityType::type, t, prog, debugContext);                     \
  }                                                                                                \
  inline poplar::Tensor name(poplar::Graph &graph, poplar::Tensor t, float &nonLinearityScaling,   \
                             poplar::program::Sequence &prog,                                      \
                             const poplar::DebugContext &debugContext = {}) {                      \
    return nonLinearity(graph, NonLinearityType::type, t, nonLinearityScaling, prog,               \
                        debugContext);                                                             \
  }                                                                                                \
  inline void name##InPlace(poplar::Graph &graph, poplar::Tensor t,                                \
                            poplar::program::Sequence &prog,                                       \
                            const poplar::DebugContext &debugContext = {}) {                       \
    nonLinearityInPlace(graph, NonLinearityType::type, t, prog, debugContext);                     \
  }                                                                                                \
  inline void name##InPlace(poplar::Graph &graph, poplar::Tensor t, float &nonLinearityScaling,    \
                            poplar::program::Sequence &prog,                                       \
                            const poplar::DebugContext &debugContext = {}) {                       \
    nonLinearityInPlace(graph, NonLinearityType::type, t, nonLinearityScaling, prog,               \
                        debugContext);                                                             \
  }

///@{

/// Computes the non-linearity of the function's name, as a new tensor or in place: see
/// nonLinearity() and nonLinearityInPlace(). scaledSoftmaxStable is SOFTMAX_SCALED.
POPNN_NAMED(sigmoid, SIGMOID)
POPNN_NAMED(relu, RELU)
POPNN_NAMED(tanh, TANH)
POPNN_NAMED(gelu, GELU)
POPNN_NAMED(swish, SWISH)
POPNN_NAMED(softmax, SOFTMAX)
POPNN_NAMED(softmaxStable, SOFTMAX_STABLE)
POPNN_NAMED(scaledSoftmaxStable, SOFTMAX_SCALED)
///@}
#undef POPNN_NAMED

} // namespace popnn
