#pragma once

#include "block.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <vector>

namespace digits_cnn {

struct NetworkOptions {
  unsigned batch = 16;     ///< images of a micro-batch on one replica
  unsigned accumulate = 1; ///< micro-batches of one step
  float rate = 0.2f;       ///< learning rate; gradients are means over all images of a step
  unsigned seed = 1;       ///< seed of the initial weights
};

// Streams of the programs, for each replica.
constexpr const char *kImagesStream = "images"; // float [64 * batch], pixel by pixel, to the device
constexpr const char *kLabelsStream = "labels"; // int [batch], to the device
constexpr const char *kTestImagesStream = "test_images";  // as images
constexpr const char *kPredictionsStream = "predictions"; // int [batch], to the host

/// Two blocks and a fully connected layer: 8 x 8 pixels, 8 x 4 x 4, 16 x 2 x 2, 10 classes. All
/// replicas have the same weights.
class Network {
public:
  /// Adds the codelets of all libraries, too. \p graph must outlive it.
  Network(poplar::Graph &graph, const NetworkOptions &options);

  /// Draws the weights; every replica draws the same.
  poplar::program::Program initialise();
  /// Returns one step of gradient descent on `accumulate` micro-batches of every replica.
  poplar::program::Program trainStep();
  /// Sends the classes that the images of one batch seem to be of.
  poplar::program::Program predict();

  /// The sum over the images of all steps since it was zeroed, of this replica; FLOAT, no
  /// dimensions.
  const poplar::Tensor &lossSum() const { return lossSum_; }
  std::vector<poplar::Tensor> parameters() const;

private:
  /// \returns probabilities, shape [batch][classes]
  poplar::Tensor forward(const poplar::DataStream &images, poplar::program::Sequence &prog);
  /// \returns gradients in the order of parameters(), of the micro-batch that forward() saw last
  std::vector<poplar::Tensor> backward(const poplar::Tensor &probabilities,
                                       poplar::program::Sequence &prog);
  /// Does micro-batches one after another.
  /// \returns the sums of their gradients
  std::vector<poplar::Tensor> accumulated(poplar::program::Sequence &prog);
  void update(const std::vector<poplar::Tensor> &gradients, poplar::program::Sequence &prog);
  poplar::Tensor constant(float value);

  poplar::Graph &graph_;
  NetworkOptions options_;
  Block first_, second_;
  poplar::Tensor weights_, images_, labels_, flat_, lossSum_;
};

} // namespace digits_cnn
