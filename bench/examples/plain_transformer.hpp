#pragma once

#include "shape.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace copse::bench {

/// The model of examples/transformer for one processor core, in plain C++ with OpenBLAS: the same
/// parameters in the same order, the same passes, the same updates. Only dropout draws other
/// elements.
class PlainTransformer {
public:
  PlainTransformer(const transformer::Shape &shape, unsigned microBatches,
                   std::vector<float> values);

  void beginStep();
  /// Forward and backward. \returns the sum of the rows' losses
  double addMicroBatch(const std::uint32_t *characters, const std::uint32_t *labels);
  void update(float rate);

  const std::vector<float> &gradients() const { return gradients_; }

private:
  /// A place in values_ and gradients_.
  struct Place {
    std::size_t at = 0;
  };
  struct LinearPlace {
    Place weights, bias;
    std::size_t inputs, outputs;
  };
  struct NormPlace {
    Place gamma, beta;
  };
  struct BlockPlace {
    NormPlace attentionNorm;
    LinearPlace inputs, output;
    NormPlace feedForwardNorm;
    LinearPlace first, second;
  };
  struct NormKept {
    std::vector<float> whitened, inverseDeviation;
  };
  struct BlockKept {
    NormKept attentionNorm, feedForwardNorm;
    std::vector<float> attentionIn, parts, weights, joined, feedForwardIn, hidden, activated;
    std::vector<float> attentionMask, feedForwardMask;
  };
  using Matrix = std::vector<float>;

  Place place(std::size_t elements);
  LinearPlace linearPlace(std::size_t inputs, std::size_t outputs);
  NormPlace normPlace();

  Matrix linear(const LinearPlace &layer, const Matrix &x) const;
  Matrix linearBackward(const LinearPlace &layer, const Matrix &x, const Matrix &gradient);
  Matrix norm(const NormPlace &layer, const Matrix &x, NormKept &kept) const;
  Matrix normBackward(const NormPlace &layer, const NormKept &kept, const Matrix &gradient);
  Matrix attention(const BlockPlace &block, BlockKept &kept) const;
  Matrix attentionBackward(const BlockPlace &block, const BlockKept &kept, const Matrix &gradient);
  void drop(Matrix &x, Matrix &mask);
  Matrix blockForward(const BlockPlace &block, Matrix x, BlockKept &kept);
  Matrix blockBackward(const BlockPlace &block, const BlockKept &kept, Matrix gradient);

  transformer::Shape shape_;
  float gradientScale_;
  std::size_t placed_ = 0;
  Place characters_, positions_;
  std::vector<BlockPlace> blocks_;
  NormPlace headNorm_;
  LinearPlace projection_;
  std::vector<float> values_, gradients_, first_, second_;
  std::vector<BlockKept> kept_;
  std::uint32_t random_ = 1;
};

} // namespace copse::bench
