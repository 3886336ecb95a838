#pragma once

#include <cmath>
#include <cstdint>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

/// Random numbers and dropout. See User guide, 6.
namespace poprand {

/// \file
/// Random numbers, in a new tensor with the shape and the tile mapping of \p reference, whose
/// values are not read.
///
/// \p seed is null, or UNSIGNED_INT of shape [2]. Without a seed, the tiles' random number
/// generators give the numbers, and their states advance. With a seed, the result is a function of
/// the seed, \p seedModifier, and the tile mapping of the reference: every call gives the same
/// numbers, and the tiles' generators keep their states. Another modifier gives other numbers. The
/// number of processes that emulate the machine has no influence.
///
/// Errors: poputil::poplibs_error if the seed, a type or a parameter is not as stated.

/// Draws uniformly distributed numbers from minVal to maxVal, both included.
/// \param outType  FLOAT, HALF or INT
/// \throws poputil::poplibs_error if seed, type or limits do not fit
poplar::Tensor uniform(poplar::Graph &graph, const poplar::Tensor *seed, std::uint32_t seedModifier,
                       const poplar::Tensor &reference, const poplar::Type &outType, double minVal,
                       double maxVal, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

/// Draws numbers between minVal, at least 1, and maxVal, whose logarithms are uniformly
/// distributed.
/// \param outType  FLOAT, HALF or INT
/// \param base     base of the logarithm; the distribution does not depend on it
/// \throws poputil::poplibs_error if seed, type or limits do not fit
poplar::Tensor logUniform(poplar::Graph &graph, const poplar::Tensor *seed,
                          std::uint32_t seedModifier, const poplar::Tensor &reference,
                          const poplar::Type &outType, double minVal, double maxVal,
                          poplar::program::Sequence &prog, double base = M_E,
                          const poplar::DebugContext &debugContext = {});

/// Draws 1 with probability \p prob, in steps of 1/65536, else 0.
/// \param outType  FLOAT, HALF or INT
/// \throws poputil::poplibs_error if seed, type or probability do not fit
poplar::Tensor bernoulli(poplar::Graph &graph, const poplar::Tensor *seed,
                         std::uint32_t seedModifier, const poplar::Tensor &reference,
                         const poplar::Type &outType, double prob, poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});

/// Draws numbers of a normal distribution.
/// \param outType  FLOAT or HALF
/// \throws poputil::poplibs_error if seed or type do not fit
poplar::Tensor normal(poplar::Graph &graph, const poplar::Tensor *seed, std::uint32_t seedModifier,
                      const poplar::Tensor &reference, const poplar::Type &outType, double mean,
                      double stdDev, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});

/// Draws numbers of a normal distribution truncated to [mean - alpha * stdDev, mean + alpha *
/// stdDev].
/// \param outType  FLOAT or HALF
/// \throws poputil::poplibs_error if seed, type or \p alpha do not fit
poplar::Tensor truncatedNormal(poplar::Graph &graph, const poplar::Tensor *seed,
                               std::uint32_t seedModifier, const poplar::Tensor &reference,
                               const poplar::Type &outType, double mean, double stdDev,
                               double alpha, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {});

///@{

/// Multiplies each element by \p scale with probability \p keepProbability, in steps of 1/65536,
/// and makes all others 0. With a probability of 1 the input is copied without scaling. Calls with
/// the same seed, modifier and reference drop the same elements.
///
/// \code
/// Tensor y = dropout(graph, &seed, 0, x, x, 0.9, 1 / 0.9, prog);  // drops a tenth
/// \endcode
/// - \p input: FLOAT or HALF
/// - \p reference: has the shape of \p input
/// - \p outputClonesRef: default true: the result is laid out like \p reference; false: like \p
///   input
/// \throws poputil::poplibs_error if seed, type, shapes or probability do not fit
poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *seed,
                       const std::uint32_t seedModifier, const poplar::Tensor &input,
                       const poplar::Tensor &reference, double keepProbability, double scale,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});
poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *seed,
                       const std::uint32_t seedModifier, const poplar::Tensor &input,
                       const poplar::Tensor &reference, double keepProbability, double scale,
                       bool outputClonesRef, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});
///@}

/// Drops elements as dropout() does, but makes one decision for each element of \p reference, whose
/// shape broadcasts to the shape of \p input.
poplar::Tensor shapedDropout(poplar::Graph &graph, const poplar::Tensor *seed,
                             const std::uint32_t seedModifier, const poplar::Tensor &input,
                             const poplar::Tensor &reference, double keepProbability, double scale,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {});

/// Seeds the generators of all workers of the graph's tiles, each differently.
/// \param masterSeed  UNSIGNED_INT of shape [2]
/// \throws poputil::poplibs_error if \p masterSeed has another type or shape
void setSeed(poplar::Graph &graph, const poplar::Tensor &masterSeed, std::uint32_t seedModifier,
             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace poprand
