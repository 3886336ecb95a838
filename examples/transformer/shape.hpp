#pragma once

#include <cstddef>

namespace transformer {

/// The sizes of a model and of a micro-batch.
struct Shape {
  std::size_t alphabet = 96; ///< different characters
  std::size_t context = 32;  ///< characters that a prediction may depend on
  std::size_t width = 64;    ///< width of an activation; a multiple of \p heads
  std::size_t heads = 4;
  std::size_t blocks = 2;
  std::size_t batch = 8; ///< excerpts of a micro-batch
  double dropout = 0.05; ///< probability that an element is dropped

  std::size_t headWidth() const { return width / heads; }
  std::size_t rows() const { return batch * context; } ///< characters of a micro-batch
};

} // namespace transformer
