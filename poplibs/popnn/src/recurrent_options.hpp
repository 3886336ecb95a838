#pragma once

#include <poplar/OptionFlags.hpp>

namespace popnn {
namespace rnn {

enum class Recomputation { None, CellAndTanh, Full };

/// The options of recurrent layers.
struct RecurrentOptions {
  /// \throws poplar::invalid_option
  RecurrentOptions(const poplar::OptionFlags &flags, bool inferenceOnlyByDefault);

  bool inferenceOnly;
  Recomputation recomputation = Recomputation::None;
  poplar::OptionFlags ofProducts;
};

} // namespace rnn
} // namespace popnn
