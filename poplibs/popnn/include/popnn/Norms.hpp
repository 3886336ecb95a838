#pragma once

#include <cstddef>
#include <cstdint>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <utility>

namespace popnn {

// Parameters of all norms: an entry for each channel of activations [batch, channels, field...].

///@{

/// Adds gamma or beta, an entry for each channel of \p acts [batch, channels, field...], mapped
/// like the channels.
poplar::Tensor createNormGamma(poplar::Graph &graph, const poplar::Tensor &acts,
                               const poplar::DebugContext &debugContext = {});
poplar::Tensor createNormBeta(poplar::Graph &graph, const poplar::Tensor &acts,
                              const poplar::DebugContext &debugContext = {});
///@}

/// Adds gamma and beta, as createNormGamma() and createNormBeta() do.
std::pair<poplar::Tensor, poplar::Tensor>
createNormParams(poplar::Graph &graph, const poplar::Tensor acts,
                 const poplar::DebugContext &debugContext = {});

///@{

/// Returns the additions and multiplications of a norm's pass.
std::uint64_t getNormFwdFlops(std::size_t statisticsSize, std::size_t numActsElements,
                              bool computeStats = true);
std::uint64_t getNormBwdFlops(std::size_t statisticsSize, std::size_t numActsElements);
std::uint64_t getNormWuFlops(std::size_t paramsSize, std::size_t numActsElements);
///@}

} // namespace popnn
