#pragma once

#include <cmath>
#include <cstdint>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace poprand {

/// Random numbers, in a new tensor with the shape and the tile mapping of \p reference, whose values
/// are not read.
///
/// \p seed is null, or UNSIGNED_INT of shape {2}. Without a seed, the generators of the tiles give
/// the numbers and go on. With one, the result is a function of the seed, \p seedModifier, and how
/// the reference lies on the tiles, the same in every call, and the tiles' generators stay as they
/// are. Another modifier gives other numbers. The number of processes that the emulated machine
/// consists of changes nothing.
///
/// Errors: poputil::poplibs_error for another seed, type or parameter than stated.

/// From minVal to maxVal, both included. FLOAT, HALF or INT.
poplar::Tensor uniform(poplar::Graph &graph, const poplar::Tensor *seed, std::uint32_t seedModifier,
                       const poplar::Tensor &reference, const poplar::Type &outType, double minVal,
                       double maxVal, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

/// Logarithms are uniform, from that of minVal, at least 1, to that of maxVal. FLOAT, HALF or INT.
/// \param base  of the logarithm; it changes no distribution
poplar::Tensor logUniform(poplar::Graph &graph, const poplar::Tensor *seed,
                          std::uint32_t seedModifier, const poplar::Tensor &reference,
                          const poplar::Type &outType, double minVal, double maxVal,
                          poplar::program::Sequence &prog, double base = M_E,
                          const poplar::DebugContext &debugContext = {});

/// 1 with probability \p prob, in steps of 1/65536, else 0. FLOAT, HALF or INT.
poplar::Tensor bernoulli(poplar::Graph &graph, const poplar::Tensor *seed,
                         std::uint32_t seedModifier, const poplar::Tensor &reference,
                         const poplar::Type &outType, double prob, poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});

/// FLOAT or HALF.
poplar::Tensor normal(poplar::Graph &graph, const poplar::Tensor *seed, std::uint32_t seedModifier,
                      const poplar::Tensor &reference, const poplar::Type &outType, double mean,
                      double stdDev, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});

/// The part of a normal distribution from mean - alpha * stdDev to mean + alpha * stdDev. FLOAT or
/// HALF.
poplar::Tensor truncatedNormal(poplar::Graph &graph, const poplar::Tensor *seed,
                               std::uint32_t seedModifier, const poplar::Tensor &reference,
                               const poplar::Type &outType, double mean, double stdDev,
                               double alpha, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {});

/// Each element times \p scale with probability \p keepProbability, in steps of 1/65536, else 0. With
/// a probability of 1 the input is copied without scaling. FLOAT or HALF.
///
/// Calls with the same seed, modifier and reference drop the same elements.
/// \param reference  has the shape of \p input
/// \returns a clone of the reference in its layout
poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *seed,
                       const std::uint32_t seedModifier, const poplar::Tensor &input,
                       const poplar::Tensor &reference, double keepProbability, double scale,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});
/// \param outputClonesRef  false: the result is laid out like \p input
poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *seed,
                       const std::uint32_t seedModifier, const poplar::Tensor &input,
                       const poplar::Tensor &reference, double keepProbability, double scale,
                       bool outputClonesRef, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

/// One decision for each element of \p reference, whose shape broadcasts to that of \p input.
poplar::Tensor shapedDropout(poplar::Graph &graph, const poplar::Tensor *seed,
                             const std::uint32_t seedModifier, const poplar::Tensor &input,
                             const poplar::Tensor &reference, double keepProbability, double scale,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {});

/// Seeds the generators of all workers of the graph's tiles, each differently.
/// \param masterSeed  UNSIGNED_INT of shape {2}
void setSeed(poplar::Graph &graph, const poplar::Tensor &masterSeed, std::uint32_t seedModifier,
             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace poprand
