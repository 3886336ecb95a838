#include "plain_transformer.hpp"

#include <algorithm>
#include <cblas.h>
#include <cmath>
#include <stdexcept>

namespace copse::bench {

namespace {

constexpr float kGeluScale = 0.7978845608f, kGeluCube = 0.044715f;

/// c = alpha op(a) op(b) + beta c; all in row-major order.
struct Product {
  bool transposeA = false, transposeB = false;
  std::size_t rows, inner, columns;
  std::size_t strideA, strideB, strideC;

  void operator()(const float *a, const float *b, float *c, float beta, float alpha = 1) const {
    const auto flag = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
    const auto number = [](std::size_t n) { return static_cast<int>(n); };
    cblas_sgemm(CblasRowMajor, flag(transposeA), flag(transposeB), number(rows), number(columns),
                number(inner), alpha, a, number(strideA), b, number(strideB), beta, c,
                number(strideC));
  }
};

void addTo(std::vector<float> &to, const std::vector<float> &from) {
  for (std::size_t i = 0; i != to.size(); ++i)
    to[i] += from[i];
}

/// The s of gelu's x * s: 0.5 * (1 + tanh(u)) is the sigmoid of 2 u.
float geluShare(float x) {
  const float e = std::exp(-std::abs(2 * kGeluScale * x * (1 + kGeluCube * x * x)));
  return (x < 0 ? e : 1.0f) / (1 + e);
}

/// exp(x - the largest x), divided by the sum of these.
void softmax(float *row, std::size_t known, std::size_t all) {
  const float largest = *std::max_element(row, row + known);
  float sum = 0;
  for (std::size_t i = 0; i != known; ++i)
    sum += row[i] = std::exp(row[i] - largest);
  for (std::size_t i = 0; i != known; ++i)
    row[i] /= sum;
  std::fill(row + known, row + all, 0.0f);
}

} // namespace

PlainTransformer::PlainTransformer(const transformer::Shape &shape, unsigned microBatches,
                                   std::vector<float> values)
    : shape_(shape), gradientScale_(1.0f / static_cast<float>(shape.rows() * microBatches)),
      values_(std::move(values)), gradients_(values_.size()), first_(values_.size()),
      second_(values_.size()), kept_(shape.blocks) {
  const std::size_t width = shape.width;
  characters_ = place(shape.alphabet * width);
  positions_ = place(shape.context * width);
  for (std::size_t b = 0; b != shape.blocks; ++b) {
    BlockPlace block;
    block.attentionNorm = normPlace();
    block.inputs = linearPlace(width, 3 * width);
    block.output = linearPlace(width, width);
    block.feedForwardNorm = normPlace();
    block.first = linearPlace(width, 4 * width);
    block.second = linearPlace(4 * width, width);
    blocks_.push_back(block);
  }
  headNorm_ = normPlace();
  projection_ = linearPlace(width, shape.alphabet);
  if (placed_ != values_.size())
    throw std::invalid_argument("the model has " + std::to_string(placed_) + " parameters, not " +
                                std::to_string(values_.size()));
}

PlainTransformer::Place PlainTransformer::place(std::size_t elements) {
  const Place result{placed_};
  placed_ += elements;
  return result;
}

PlainTransformer::LinearPlace PlainTransformer::linearPlace(std::size_t inputs,
                                                            std::size_t outputs) {
  const Place weights = place(inputs * outputs);
  return {weights, place(outputs), inputs, outputs};
}

PlainTransformer::NormPlace PlainTransformer::normPlace() {
  const Place gamma = place(shape_.width);
  return {gamma, place(shape_.width)};
}

PlainTransformer::Matrix PlainTransformer::linear(const LinearPlace &layer, const Matrix &x) const {
  const std::size_t rows = x.size() / layer.inputs;
  Matrix y(rows * layer.outputs);
  const float *const bias = values_.data() + layer.bias.at;
  for (std::size_t r = 0; r != rows; ++r)
    std::copy(bias, bias + layer.outputs, y.data() + r * layer.outputs);
  Product{false,         false,        rows,          layer.inputs,
          layer.outputs, layer.inputs, layer.outputs, layer.outputs}(
      x.data(), values_.data() + layer.weights.at, y.data(), 1);
  return y;
}

PlainTransformer::Matrix PlainTransformer::linearBackward(const LinearPlace &layer, const Matrix &x,
                                                          const Matrix &gradient) {
  const std::size_t rows = x.size() / layer.inputs;
  Product{true,          false,        layer.inputs,  rows,
          layer.outputs, layer.inputs, layer.outputs, layer.outputs}(
      x.data(), gradient.data(), gradients_.data() + layer.weights.at, 1);
  float *const ofBias = gradients_.data() + layer.bias.at;
  for (std::size_t r = 0; r != rows; ++r)
    for (std::size_t i = 0; i != layer.outputs; ++i)
      ofBias[i] += gradient[r * layer.outputs + i];
  Matrix ofX(x.size());
  Product{false,        true,          rows,          layer.outputs,
          layer.inputs, layer.outputs, layer.outputs, layer.inputs}(
      gradient.data(), values_.data() + layer.weights.at, ofX.data(), 0);
  return ofX;
}

PlainTransformer::Matrix PlainTransformer::norm(const NormPlace &layer, const Matrix &x,
                                                NormKept &kept) const {
  const std::size_t width = shape_.width, rows = x.size() / width;
  Matrix y(x.size());
  kept.whitened.resize(x.size());
  kept.inverseDeviation.resize(rows);
  const float *const gamma = values_.data() + layer.gamma.at;
  const float *const beta = values_.data() + layer.beta.at;
  const float share = 1 / static_cast<float>(width);
  for (std::size_t r = 0; r != rows; ++r) {
    const float *const in = x.data() + r * width;
    float mean = 0, variance = 0;
    for (std::size_t i = 0; i != width; ++i)
      mean += in[i];
    mean *= share;
    for (std::size_t i = 0; i != width; ++i)
      variance += (in[i] - mean) * (in[i] - mean);
    const float inverse = 1 / std::sqrt(variance * share + 1e-5f);
    kept.inverseDeviation[r] = inverse;
    float *const whitened = kept.whitened.data() + r * width, *const out = y.data() + r * width;
    for (std::size_t i = 0; i != width; ++i) {
      whitened[i] = (in[i] - mean) * inverse;
      out[i] = gamma[i] * whitened[i] + beta[i];
    }
  }
  return y;
}

PlainTransformer::Matrix PlainTransformer::normBackward(const NormPlace &layer,
                                                        const NormKept &kept,
                                                        const Matrix &gradient) {
  const std::size_t width = shape_.width, rows = gradient.size() / width;
  Matrix ofX(gradient.size());
  const float *const gamma = values_.data() + layer.gamma.at;
  float *const ofGamma = gradients_.data() + layer.gamma.at;
  float *const ofBeta = gradients_.data() + layer.beta.at;
  const float share = 1 / static_cast<float>(width);
  for (std::size_t r = 0; r != rows; ++r) {
    const float *const whitened = kept.whitened.data() + r * width;
    const float *const g = gradient.data() + r * width;
    float *const out = ofX.data() + r * width;
    float mean = 0, slope = 0;
    for (std::size_t i = 0; i != width; ++i) {
      ofGamma[i] += g[i] * whitened[i];
      ofBeta[i] += g[i];
      out[i] = g[i] * gamma[i];
      mean += out[i];
      slope += out[i] * whitened[i];
    }
    mean *= share, slope *= share;
    for (std::size_t i = 0; i != width; ++i)
      out[i] = kept.inverseDeviation[r] * (out[i] - mean - whitened[i] * slope);
  }
  return ofX;
}

PlainTransformer::Matrix PlainTransformer::attention(const BlockPlace &block,
                                                     BlockKept &kept) const {
  const std::size_t width = shape_.width, context = shape_.context, head = shape_.headWidth();
  kept.parts = linear(block.inputs, kept.attentionIn);
  kept.weights.resize(shape_.batch * shape_.heads * context * context);
  kept.joined.resize(shape_.rows() * width);
  const float scale = 1 / std::sqrt(static_cast<float>(head));
  for (std::size_t group = 0; group != shape_.batch * shape_.heads; ++group) {
    const std::size_t row = group / shape_.heads * context, column = group % shape_.heads * head;
    const float *const queries = kept.parts.data() + row * 3 * width + column;
    float *const weights = kept.weights.data() + group * context * context;
    Product{false, true, context, head, context, 3 * width, 3 * width, context}(
        queries, queries + width, weights, 0, scale);
    for (std::size_t i = 0; i != context; ++i)
      softmax(weights + i * context, i + 1, context);
    Product{false, false, context, context, head, context, 3 * width, width}(
        weights, queries + 2 * width, kept.joined.data() + row * width + column, 0);
  }
  return linear(block.output, kept.joined);
}

PlainTransformer::Matrix PlainTransformer::attentionBackward(const BlockPlace &block,
                                                             const BlockKept &kept,
                                                             const Matrix &gradient) {
  const std::size_t width = shape_.width, context = shape_.context, head = shape_.headWidth();
  const Matrix ofJoined = linearBackward(block.output, kept.joined, gradient);
  Matrix ofParts(kept.parts.size()), ofScores(context * context);
  const float scale = 1 / std::sqrt(static_cast<float>(head));
  for (std::size_t group = 0; group != shape_.batch * shape_.heads; ++group) {
    const std::size_t row = group / shape_.heads * context, column = group % shape_.heads * head;
    const float *const queries = kept.parts.data() + row * 3 * width + column;
    const float *const weights = kept.weights.data() + group * context * context;
    const float *const ofHead = ofJoined.data() + row * width + column;
    float *const ofQueries = ofParts.data() + row * 3 * width + column;
    Product{true, false, context, context, head, context, width, 3 * width}(
        weights, ofHead, ofQueries + 2 * width, 0);
    Product{false, true, context, head, context, width, 3 * width, context}(
        ofHead, queries + 2 * width, ofScores.data(), 0);
    for (std::size_t i = 0; i != context; ++i) {
      const float *const w = weights + i * context;
      float *const g = ofScores.data() + i * context;
      float sum = 0;
      for (std::size_t k = 0; k != context; ++k)
        sum += w[k] * g[k];
      for (std::size_t k = 0; k != context; ++k)
        g[k] = w[k] * (g[k] - sum) * scale;
    }
    Product{false, false, context, context, head, context, 3 * width, 3 * width}(
        ofScores.data(), queries + width, ofQueries, 0);
    Product{true, false, context, context, head, context, 3 * width, 3 * width}(
        ofScores.data(), queries, ofQueries + width, 0);
  }
  return linearBackward(block.inputs, kept.attentionIn, ofParts);
}

void PlainTransformer::drop(Matrix &x, Matrix &mask) {
  if (shape_.dropout == 0)
    return;
  mask.resize(x.size());
  const auto limit = static_cast<std::uint32_t>(shape_.dropout * 4294967295.0);
  const auto scale = static_cast<float>(1 / (1 - shape_.dropout));
  for (std::size_t i = 0; i != x.size(); ++i) {
    random_ ^= random_ << 13, random_ ^= random_ >> 17, random_ ^= random_ << 5;
    mask[i] = random_ < limit ? 0 : scale;
    x[i] *= mask[i];
  }
}

PlainTransformer::Matrix PlainTransformer::blockForward(const BlockPlace &block, Matrix x,
                                                        BlockKept &kept) {
  kept.attentionIn = norm(block.attentionNorm, x, kept.attentionNorm);
  Matrix attended = attention(block, kept);
  drop(attended, kept.attentionMask);
  addTo(x, attended);
  kept.feedForwardIn = norm(block.feedForwardNorm, x, kept.feedForwardNorm);
  kept.hidden = linear(block.first, kept.feedForwardIn);
  kept.activated.resize(kept.hidden.size());
  for (std::size_t i = 0; i != kept.hidden.size(); ++i) {
    const float h = kept.hidden[i];
    kept.activated[i] = h * geluShare(h);
  }
  Matrix fed = linear(block.second, kept.activated);
  drop(fed, kept.feedForwardMask);
  addTo(x, fed);
  return x;
}

PlainTransformer::Matrix PlainTransformer::blockBackward(const BlockPlace &block,
                                                         const BlockKept &kept, Matrix gradient) {
  const auto dropped = [](Matrix x, const Matrix &mask) {
    for (std::size_t i = 0; i != mask.size(); ++i)
      x[i] *= mask[i];
    return x;
  };
  Matrix ofHidden =
      linearBackward(block.second, kept.activated, dropped(gradient, kept.feedForwardMask));
  for (std::size_t i = 0; i != ofHidden.size(); ++i) {
    const float h = kept.hidden[i];
    const float s = geluShare(h);
    ofHidden[i] *= s * (1 + (1 - s) * h * 2 * kGeluScale * (1 + 3 * kGeluCube * h * h));
  }
  addTo(gradient, normBackward(block.feedForwardNorm, kept.feedForwardNorm,
                               linearBackward(block.first, kept.feedForwardIn, ofHidden)));
  addTo(gradient,
        normBackward(block.attentionNorm, kept.attentionNorm,
                     attentionBackward(block, kept, dropped(gradient, kept.attentionMask))));
  return gradient;
}

void PlainTransformer::beginStep() { std::fill(gradients_.begin(), gradients_.end(), 0.0f); }

double PlainTransformer::addMicroBatch(const std::uint32_t *characters,
                                       const std::uint32_t *labels) {
  const std::size_t width = shape_.width, rows = shape_.rows(), alphabet = shape_.alphabet;
  const auto row = [width](std::vector<float> &of, Place table, std::size_t number) {
    return of.data() + table.at + number * width;
  };
  Matrix x(rows * width);
  for (std::size_t r = 0; r != rows; ++r)
    for (std::size_t i = 0; i != width; ++i)
      x[r * width + i] = row(values_, characters_, characters[r])[i] +
                         row(values_, positions_, r % shape_.context)[i];
  for (std::size_t b = 0; b != blocks_.size(); ++b)
    x = blockForward(blocks_[b], std::move(x), kept_[b]);

  NormKept keptByHead;
  const Matrix headIn = norm(headNorm_, x, keptByHead);
  Matrix ofLogits = linear(projection_, headIn);
  double loss = 0;
  for (std::size_t r = 0; r != rows; ++r) {
    float *const probabilities = ofLogits.data() + r * alphabet;
    softmax(probabilities, alphabet, alphabet);
    loss -= std::log(static_cast<double>(probabilities[labels[r]]));
    probabilities[labels[r]] -= 1;
    for (std::size_t i = 0; i != alphabet; ++i)
      probabilities[i] *= gradientScale_;
  }
  Matrix gradient =
      normBackward(headNorm_, keptByHead, linearBackward(projection_, headIn, ofLogits));
  for (std::size_t b = blocks_.size(); b-- != 0;)
    gradient = blockBackward(blocks_[b], kept_[b], std::move(gradient));
  for (std::size_t r = 0; r != rows; ++r)
    for (std::size_t i = 0; i != width; ++i) {
      row(gradients_, characters_, characters[r])[i] += gradient[r * width + i];
      row(gradients_, positions_, r % shape_.context)[i] += gradient[r * width + i];
    }
  return loss;
}

void PlainTransformer::update(float rate) {
  for (std::size_t i = 0; i != values_.size(); ++i) {
    const float g = gradients_[i];
    first_[i] += 0.1f * (g - first_[i]);
    second_[i] += 0.01f * (g * g - second_[i]);
    values_[i] -= rate * first_[i] / (std::sqrt(second_[i]) + 1e-8f);
  }
}

} // namespace copse::bench
