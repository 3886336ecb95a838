#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

// Conversions between FLOAT, HALF, INT, UNSIGNED_INT, SHORT, UNSIGNED_SHORT and BOOL, and of the
// types of 8 bits to and from FLOAT and HALF. Others are a poputil::poplibs_error.
//
// Reals are rounded to nearest even; on the way to integers they are truncated toward zero, on the
// way to 8 bits clamped to their range first. Integers that are too large wrap round. BOOL is
// whether an element is not 0.
namespace popops {

/// A new tensor with the shape and the mapping of \p src, also if it has the type already.
poplar::Tensor cast(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Type &dstType,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
/// \returns what converts \p src into \p dst, which has its shape; the caller adds it somewhere
poplar::program::Program cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst,
                              const poplar::DebugContext &debugContext = {});
/// Adds what converts \p src into \p dst to \p cs.
void cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst, poplar::ComputeSet cs);
/// Adds what converts \p src to \p cs.
/// \returns a new tensor that has the result when it has run
poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src, const poplar::Type &dstType,
                    poplar::ComputeSet cs, const poplar::DebugContext &debugContext = {});
/// Converts \p src into \p dst, which has its shape.
void castWithOutput(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Tensor &dst,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

/// Whether the one element of \p input, FLOAT, keeps its relative accuracy as a HALF.
/// \returns BOOL, shape {}
poplar::Tensor checkAccuracyWhenCast(poplar::Graph &graph, const poplar::Tensor &input,
                                     poplar::Type outputType, double tolerance,
                                     poplar::program::Sequence &prog,
                                     const poplar::DebugContext &debugContext = {});

} // namespace popops
