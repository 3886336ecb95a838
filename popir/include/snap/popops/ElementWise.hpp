#pragma once

#include "snap/Graph.hpp"
#include "snap/Program.hpp"
#include "snap/Tensor.hpp"

#include <poplar/DebugContext.hpp>
#include <poplar/OptionFlags.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/TileMapping.hpp>
#include <vector>

namespace snap {

/// Operations of popops with snap's graph, tensors and sequences. Meaning, errors and options are
/// as for popops' function with the same name (popops/ElementWise.hpp).
namespace popops {

///@{

/// Calls popops::map().
inline Tensor map(Graph &graph, const ::popops::expr::Expr &expr, const std::vector<Tensor> &ts,
                  program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {}) {
  return {::popops::map(graph.getPoplarGraph(), expr, getPoplarTensors(ts),
                        prog.getPoplarSequence(), debugContext, options),
          graph};
}
inline Tensor map(Graph &graph, ::popops::expr::UnaryOpType op, const Tensor &t,
                  program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {}) {
  return {::popops::map(graph.getPoplarGraph(), op, t.getPoplarTensor(), prog.getPoplarSequence(),
                        debugContext, options),
          graph};
}
inline Tensor map(Graph &graph, ::popops::expr::BinaryOpType op, const Tensor &a, const Tensor &b,
                  program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {}) {
  return {::popops::map(graph.getPoplarGraph(), op, a.getPoplarTensor(), b.getPoplarTensor(),
                        prog.getPoplarSequence(), debugContext, options),
          graph};
}
inline Tensor map(Graph &graph, ::popops::expr::TernaryOpType op, const Tensor &a, const Tensor &b,
                  const Tensor &c, program::Sequence &prog,
                  const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {}) {
  return {::popops::map(graph.getPoplarGraph(), op, a.getPoplarTensor(), b.getPoplarTensor(),
                        c.getPoplarTensor(), prog.getPoplarSequence(), debugContext, options),
          graph};
}
///@}

///@{

/// Calls popops::mapInPlace().
inline void mapInPlace(Graph &graph, const ::popops::expr::Expr &expr,
                       const std::vector<Tensor> &ts, program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {}) {
  ::popops::mapInPlace(graph.getPoplarGraph(), expr, getPoplarTensors(ts), prog.getPoplarSequence(),
                       debugContext, options);
}
inline void mapInPlace(Graph &graph, ::popops::expr::UnaryOpType op, const Tensor &t,
                       program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {}) {
  ::popops::mapInPlace(graph.getPoplarGraph(), op, t.getPoplarTensor(), prog.getPoplarSequence(),
                       debugContext, options);
}
inline void mapInPlace(Graph &graph, ::popops::expr::BinaryOpType op, const Tensor &a,
                       const Tensor &b, program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {}) {
  ::popops::mapInPlace(graph.getPoplarGraph(), op, a.getPoplarTensor(), b.getPoplarTensor(),
                       prog.getPoplarSequence(), debugContext, options);
}
inline void mapInPlace(Graph &graph, ::popops::expr::TernaryOpType op, const Tensor &a,
                       const Tensor &b, const Tensor &c, program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {}) {
  ::popops::mapInPlace(graph.getPoplarGraph(), op, a.getPoplarTensor(), b.getPoplarTensor(),
                       c.getPoplarTensor(), prog.getPoplarSequence(), debugContext, options);
}
///@}

/// Computes in place on \p a, unless \p a is mapped so unevenly that a new result is better: if a
/// tile has more than 150,000 elements above an even share, as in PopART 2.5.
/// \returns the result, which is \p a in the shape that both broadcast to, or a new tensor
inline Tensor mapMaybeInPlace(Graph &graph, ::popops::expr::BinaryOpType op, const Tensor &a,
                              const Tensor &b, program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {},
                              const poplar::OptionFlags &options = {}) {
  constexpr unsigned maxTileImbalance = 150000; // [elements]
  if (::poputil::getTileImbalance(graph.getPoplarGraph(), a.getPoplarTensor()) > maxTileImbalance)
    return map(graph, op, a, b, prog, debugContext, options);
  poplar::Tensor result = a.getPoplarTensor();
  poplar::Tensor other = b.getPoplarTensor();
  ::poputil::broadcastToMatch(result, other);
  ::popops::mapInPlace(graph.getPoplarGraph(), op, result, other, prog.getPoplarSequence(),
                       debugContext, options);
  return {result, graph};
}

/// Defines the binary operation \p name, and its forms InPlace and MaybeInPlace (see
/// mapMaybeInPlace()).
#define SNAP_POPOPS_BINARY(name, op)                                                               \
  inline Tensor name(Graph &graph, const Tensor &a, const Tensor &b, program::Sequence &prog,      \
                     const poplar::DebugContext &debugContext = {},                                \
                     const poplar::OptionFlags &options = {}) {                                    \
    return map(graph, ::popops::expr::BinaryOpType::op, a, b, prog, debugContext, options);        \
  }                                                                                                \
  inline void name##InPlace(                                                                       \
      Graph &graph, const Tensor &a, const Tensor &b, program::Sequence &prog,                     \
      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {    \
    mapInPlace(graph, ::popops::expr::BinaryOpType::op, a, b, prog, debugContext, options);        \
  }                                                                                                \
  inline Tensor name##MaybeInPlace(                                                                \
      Graph &graph, const Tensor &a, const Tensor &b, program::Sequence &prog,                     \
      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {    \
    return mapMaybeInPlace(graph, ::popops::expr::BinaryOpType::op, a, b, prog, debugContext,      \
                           options);                                                               \
  }

///@{

/// Computes the operation of the function's name: to a new tensor, in place on \p a, or as
/// mapMaybeInPlace() does.
SNAP_POPOPS_BINARY(add, ADD)
SNAP_POPOPS_BINARY(atan2, ATAN2)
SNAP_POPOPS_BINARY(mul, MULTIPLY)
SNAP_POPOPS_BINARY(pow, POWER)
///@}
#undef SNAP_POPOPS_BINARY

} // namespace popops
} // namespace snap
