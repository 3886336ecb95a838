#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace copse::bench {

/// Weights that are the same for the same layer: pseudo-random, with the variance of He's
/// initialisation.
class LayerWeights {
public:
  std::vector<float> draw(std::size_t elements, std::size_t fanIn) {
    std::vector<float> weights(elements);
    const float scale = std::sqrt(6.0f / static_cast<float>(fanIn));
    for (float &weight : weights) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      weight = (static_cast<float>(state_ >> 40) / (1 << 23) - 1) * scale;
    }
    return weights;
  }

private:
  std::uint64_t state_ = 18;
};

/// The layers of ResNet-18 after He et al., with batch norms merged into the convolutions, as
/// exporters do.
/// \param net  has a type Value; convolution(x, inputs, outputs, kernel, stride, padding) with a
///   bias; relu(x); maxPool(x) of 3 x 3 windows, stride 2, padding 1; add(x, y); averageOfField(x);
///   fullyConnected(x, inputs, outputs)
/// \param width  channels of the first stage: 64 in the original
template <class Net> typename Net::Value resnet18(Net &net, typename Net::Value image, int width) {
  auto x = net.maxPool(net.relu(net.convolution(image, 3, width, 7, 2, 3)));
  int channels = width;
  for (int stage = 0; stage < 4; ++stage)
    for (int block = 0; block < 2; ++block) {
      const int outputs = width << stage, stride = stage > 0 && block == 0 ? 2 : 1;
      auto y = net.relu(net.convolution(x, channels, outputs, 3, stride, 1));
      y = net.convolution(y, outputs, outputs, 3, 1, 1);
      const auto shortcut = stride == 1 ? x : net.convolution(x, channels, outputs, 1, stride, 0);
      x = net.relu(net.add(y, shortcut));
      channels = outputs;
    }
  return net.fullyConnected(net.averageOfField(x), channels, 1000);
}

} // namespace copse::bench
