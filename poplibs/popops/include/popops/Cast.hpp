#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

/// \file
/// Conversions between FLOAT, HALF, INT, UNSIGNED_INT, SHORT, UNSIGNED_SHORT and BOOL, and of the
/// types of 8 bits to and from FLOAT and HALF. Others, and different shapes, are a
/// poputil::poplibs_error.
///
/// Reals are rounded to nearest even; on the way to integers they are truncated toward zero, on the
/// way to 8 bits clamped to their range first. Integers that are too large wrap round. BOOL tells
/// whether an element is not 0.

namespace popops {

/// Adds a new tensor with the shape and the mapping of \p src, converted to \p dstType, also if it
/// has the type already.
/// \throws poputil::poplibs_error if there is no such conversion
poplar::Tensor cast(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Type &dstType,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
/// Returns a program that converts \p src into \p dst, which has its shape; the caller adds it
/// somewhere. Errors as above.
poplar::program::Program cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst,
                              const poplar::DebugContext &debugContext = {});
/// Adds vertices that convert \p src into \p dst, which has its shape, to \p cs. Errors as above.
void cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst, poplar::ComputeSet cs);
/// Adds vertices that convert \p src to \p cs. Errors as above.
/// \returns a new tensor that has the result when \p cs has run
poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src, const poplar::Type &dstType,
                    poplar::ComputeSet cs, const poplar::DebugContext &debugContext = {});
/// Converts \p src into \p dst, which has its shape. Errors as above.
void castWithOutput(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Tensor &dst,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

/// Computes whether the one element of \p input, FLOAT, keeps its relative accuracy as a HALF.
/// \param outputType  HALF
/// \param tolerance   the largest relative difference
/// \returns BOOL, shape {}
/// \throws poputil::poplibs_error if \p input or \p outputType is something else
poplar::Tensor checkAccuracyWhenCast(poplar::Graph &graph, const poplar::Tensor &input,
                                     poplar::Type outputType, double tolerance,
                                     poplar::program::Sequence &prog,
                                     const poplar::DebugContext &debugContext = {});

} // namespace popops
