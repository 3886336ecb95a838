#pragma once

#include "layer_context.hpp"

#include <poplar/Program.hpp>
#include <popops/DynamicSlice.hpp>

namespace transformer {

/// A row for each character, plus a row for its position.
class Embedding {
public:
  explicit Embedding(LayerContext &context);

  /// \param characters  UNSIGNED_INT [rows], numbers of the alphabet. \returns [rows][width]
  poplar::Tensor forward(const poplar::Tensor &characters, poplar::program::Sequence &prog) const;
  /// Adds to the gradients of both tables.
  void backward(const poplar::Tensor &characters, const poplar::Tensor &gradient,
                poplar::program::Sequence &prog) const;

private:
  LayerContext &context_;
  popops::SlicePlan plan_;
  Parameter characters_; ///< [alphabet][width]
  Parameter positions_;  ///< [context][width]
  poplar::Tensor one_;
};

} // namespace transformer
