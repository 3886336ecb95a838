#pragma once

#include "popnn/Lstm.hpp"
#include "recurrent_options.hpp"

#include <cstddef>
#include <poplar/Tensor.hpp>

namespace popnn {
namespace lstm {

/// Checks the parameters, and that each part has a place in the order of the weights.
void checkParams(const char *function, const LstmParams &params);
void checkWeights(const char *function, const LstmParams &params, const LstmWeights &weights);
/// \throws poputil::poplibs_error if options and parameters do not allow training
void checkTraining(const char *function, const LstmParams &params,
                   const rnn::RecurrentOptions &options);

/// Returns the weights by which a step multiplies {x, h}: {in + out, 4 * out}, or the weights of h
/// only.
poplar::Tensor stepMatrix(const LstmParams &params, const LstmWeights &weights);

/// The values of a step that the forward pass stores, in this order; the first four are the units.
enum Intermediate { kTanh = BASIC_LSTM_CELL_NUM_UNITS, kPreviousCell, kNumIntermediates };

/// Returns how many of these are stored. After them comes the output of the previous step, if
/// outputs are not stored.
inline std::size_t numKept(const rnn::RecurrentOptions &options) {
  return options.recomputation == rnn::Recomputation::None
             ? static_cast<std::size_t>(kNumIntermediates)
             : static_cast<std::size_t>(BASIC_LSTM_CELL_NUM_UNITS);
}

} // namespace lstm
} // namespace popnn
