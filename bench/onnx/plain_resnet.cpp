#include "plain_resnet.hpp"

#include <algorithm>
#include <cblas.h>
#include <limits>

namespace copse::bench {
namespace {

std::size_t count(int a, int b, int c = 1) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c);
}

/// A row for each element of the kernel, a column for each element of the output's field.
void copyPatches(const PlainResnet::Layer &in, int size, int kernel, int stride, int padding,
                 float *to) {
  for (int channel = 0; channel < in.channels; ++channel)
    for (int i = 0; i < kernel; ++i)
      for (int j = 0; j < kernel; ++j)
        for (int row = 0; row < size; ++row, to += size) {
          const int y = row * stride + i - padding;
          if (y < 0 || y >= in.size) {
            std::fill(to, to + size, 0.0f);
            continue;
          }
          const float *from = in.elements.data() + count(channel * in.size + y, in.size);
          for (int column = 0; column < size; ++column) {
            const int x = column * stride + j - padding;
            to[column] = x < 0 || x >= in.size ? 0.0f : from[x];
          }
        }
}

} // namespace

PlainResnet::PlainResnet(int width) {
  openblas_set_num_threads(1);
  layers_.reserve(128); // steps refer to layers
  const Value image = layer(3, 224, [] {});
  resnet18(*this, image, width);
}

const std::vector<float> &PlainResnet::run(const std::vector<float> &image) {
  layers_.front().elements = image;
  for (const auto &step : steps_)
    step();
  return layers_.back().elements;
}

PlainResnet::Value PlainResnet::layer(int channels, int size, std::function<void()> compute) {
  layers_.push_back({channels, size, std::vector<float>(count(channels, size, size))});
  steps_.push_back(std::move(compute));
  return layers_.size() - 1;
}

PlainResnet::Value PlainResnet::convolution(Value x, int inputs, int outputs, int kernel,
                                            int stride, int padding) {
  const int size = (layers_[x].size + 2 * padding - kernel) / stride + 1;
  const int depth = inputs * kernel * kernel, field = size * size;
  const auto w = weights_.draw(count(outputs, depth), static_cast<std::size_t>(depth)),
             b = weights_.draw(static_cast<std::size_t>(outputs), 1000);
  patches_.resize(std::max(patches_.size(), count(depth, field)));
  const Value at = layers_.size();
  return layer(outputs, size, [=, this] {
    Layer &out = layers_[at];
    copyPatches(layers_[x], size, kernel, stride, padding, patches_.data());
    for (int channel = 0; channel < outputs; ++channel)
      std::fill_n(out.elements.begin() + channel * field, field,
                  b[static_cast<std::size_t>(channel)]);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, outputs, field, depth, 1, w.data(),
                depth, patches_.data(), field, 1, out.elements.data(), field);
  });
}

PlainResnet::Value PlainResnet::relu(Value x) {
  const Value at = layers_.size();
  return layer(layers_[x].channels, layers_[x].size, [=, this] {
    const auto &in = layers_[x].elements;
    std::transform(in.begin(), in.end(), layers_[at].elements.begin(),
                   [](float v) { return std::max(v, 0.0f); });
  });
}

PlainResnet::Value PlainResnet::maxPool(Value x) {
  const Value at = layers_.size();
  const int channels = layers_[x].channels, from = layers_[x].size, size = (from - 1) / 2 + 1;
  return layer(channels, size, [=, this] {
    const auto &in = layers_[x].elements;
    auto to = layers_[at].elements.begin();
    for (int channel = 0; channel < channels; ++channel)
      for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column) {
          float most = -std::numeric_limits<float>::infinity();
          for (int y = std::max(0, 2 * row - 1); y <= std::min(from - 1, 2 * row + 1); ++y)
            for (int z = std::max(0, 2 * column - 1); z <= std::min(from - 1, 2 * column + 1); ++z)
              most =
                  std::max(most, in[count(channel * from + y, from) + static_cast<std::size_t>(z)]);
          *to++ = most;
        }
  });
}

PlainResnet::Value PlainResnet::add(Value x, Value y) {
  const Value at = layers_.size();
  return layer(layers_[x].channels, layers_[x].size, [=, this] {
    const auto &a = layers_[x].elements, &b = layers_[y].elements;
    std::transform(a.begin(), a.end(), b.begin(), layers_[at].elements.begin(), std::plus<>());
  });
}

PlainResnet::Value PlainResnet::averageOfField(Value x) {
  const Value at = layers_.size();
  return layer(layers_[x].channels, 1, [=, this] {
    const auto &in = layers_[x].elements;
    auto &out = layers_[at].elements;
    const std::size_t field = in.size() / out.size();
    for (std::size_t channel = 0; channel < out.size(); ++channel) {
      float sum = 0;
      for (std::size_t i = 0; i < field; ++i)
        sum += in[channel * field + i];
      out[channel] = sum / static_cast<float>(field);
    }
  });
}

PlainResnet::Value PlainResnet::fullyConnected(Value x, int inputs, int outputs) {
  const auto w = weights_.draw(count(outputs, inputs), static_cast<std::size_t>(inputs)),
             b = weights_.draw(static_cast<std::size_t>(outputs), 1000);
  const Value at = layers_.size();
  return layer(outputs, 1, [=, this] {
    auto &out = layers_[at].elements;
    out = b;
    cblas_sgemv(CblasRowMajor, CblasNoTrans, outputs, inputs, 1, w.data(), inputs,
                layers_[x].elements.data(), 1, 1, out.data(), 1);
  });
}

} // namespace copse::bench
