#pragma once

#include "resnet.hpp"

#include <functional>

namespace copse::bench {

/// The layers in plain C++, products of matrices by OpenBLAS on one thread; one image.
class PlainResnet {
public:
  /// A layer's result; run() fills it.
  struct Layer {
    int channels, size; ///< the field is size x size
    std::vector<float> elements;
  };
  using Value = std::size_t; ///< index of a layer

  explicit PlainResnet(int width);
  /// \param image  [3][224][224] \returns [1000]; valid until the next run
  const std::vector<float> &run(const std::vector<float> &image);

  Value convolution(Value x, int inputs, int outputs, int kernel, int stride, int padding);
  Value relu(Value x);
  Value maxPool(Value x);
  Value add(Value x, Value y);
  Value averageOfField(Value x);
  Value fullyConnected(Value x, int inputs, int outputs);

private:
  Value layer(int channels, int size, std::function<void()> compute);

  std::vector<Layer> layers_;
  std::vector<std::function<void()>> steps_;
  std::vector<float> patches_; ///< input patches of the current convolution
  LayerWeights weights_;
};

} // namespace copse::bench
