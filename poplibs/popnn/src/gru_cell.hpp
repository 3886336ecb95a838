#pragma once

#include "popnn/Gru.hpp"
#include "recurrent_options.hpp"

#include <cstddef>
#include <poplar/Tensor.hpp>
#include <vector>

namespace popnn {
namespace gru {

constexpr std::size_t kUnits = BASIC_GRU_CELL_NUM_UNITS;

void checkParams(const char *function, const GruParams &params);
void checkWeights(const char *function, const GruParams &params, const GruWeights &weights);

/// Returns the parameters of a call that says how many steps each item has.
GruParams withSteps(const char *function, const GruParams &params, const poplar::Tensor &timeSteps);

/// Returns the weights of some units beside each other: {in, units * out}.
poplar::Tensor columnsOf(const poplar::Tensor &weights, const GruParams &params,
                         const std::vector<BasicGruCellUnit> &units);
/// Returns the biases of a unit, of inputs (0) or of the recurrence (1): {out}.
poplar::Tensor biasOf(const poplar::Tensor &biases, const GruParams &params, BasicGruCellUnit unit,
                      std::size_t which = 0);

/// The matrices that a step multiplies by. Without resetAfter, of {x, h} for both gates and of {x,
/// r h} for the candidate; with it, of x and of h for all units.
struct StepMatrices {
  StepMatrices(const GruParams &params, const GruWeights &weights);
  poplar::Tensor first, second;
};

/// The values of a step that the forward pass stores, in this order; the first three are the units.
/// The last exists with resetAfter only.
enum Intermediate {
  kPreviousOutput = BASIC_GRU_CELL_NUM_UNITS,
  kRecurrentCandidate ///< h U + b1
};
inline std::size_t numKept(const GruParams &params) {
  return static_cast<std::size_t>(params.resetAfter ? kRecurrentCandidate : kPreviousOutput) + 1;
}
/// Returns how many gradients the backward pass stores: of the units' sums, and with resetAfter of
/// the recurrent part of the candidate.
inline std::size_t numGradients(const GruParams &params) {
  return kUnits + (params.resetAfter ? 1 : 0);
}

} // namespace gru
} // namespace popnn
