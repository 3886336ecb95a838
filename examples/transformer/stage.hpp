#pragma once

#include "block.hpp"
#include "embedding.hpp"
#include "head.hpp"

#include <memory>
#include <optional>
#include <poplar/Program.hpp>
#include <vector>

namespace transformer {

/// The part of the model that one IPU of a replica holds: some of the blocks; the first stage also
/// has the embedding, the last one the head.
class Stage {
public:
  struct Place {
    unsigned number = 0, count = 1;
    bool first() const { return number == 0; }
    bool last() const { return number + 1 == count; }
  };

  /// \param graph          the graph of the stage's tiles
  /// \param gradientScale  factor of the gradient with respect to the loss of one row
  Stage(poplar::Graph graph, const Shape &shape, Place place, float gradientScale, unsigned seed);
  Stage(const Stage &) = delete;
  Stage &operator=(const Stage &) = delete;

  poplar::Graph &graph() { return graph_; }
  const Parameters &parameters() const { return parameters_; }

  // Tensors that a micro-batch needs on this IPU before forward(), and those that it leaves there.
  const poplar::Tensor &in() const { return in_; }           ///< characters, or activations
  const poplar::Tensor &seed() const { return seed_; }       ///< [2], of dropout
  const poplar::Tensor &labels() const { return labels_; }   ///< last stage only
  const poplar::Tensor &out() const { return out_; }         ///< activations; not of the last stage
  const poplar::Tensor &lossSum() const { return lossSum_; } ///< last stage only; shape {}

  // Gradients with respect to out() and in(): what backward() needs and leaves.
  const poplar::Tensor &ofOut() const { return ofOut_; }
  const poplar::Tensor &ofIn() const { return ofIn_; }

  /// From in() to out(); on the last stage to the loss and its gradient.
  const poplar::program::Sequence &forward() const { return forward_; }
  /// Returns the program that adds to the parameters' gradients, for the last micro-batch of
  /// forward().
  const poplar::program::Sequence &backward() const { return backward_; }

  /// Returns a new variable for whatever in() may hold.
  poplar::Tensor addInput(std::size_t rows, const std::string &name);
  /// Returns the stage's embedding and blocks for a model that is not learning.
  poplar::Tensor evaluate(const poplar::Tensor &in, poplar::program::Sequence &prog);
  /// Evaluates the head, on the last stage.
  /// \returns logits for each of \p rows
  poplar::Tensor evaluateHead(const poplar::Tensor &rows, poplar::program::Sequence &prog);

private:
  void addForward(float gradientScale);
  void addBackward();

  poplar::Graph graph_;
  Place place_;
  Parameters parameters_;
  poplin::matmul::PlanningCache plans_;
  LayerContext context_;
  std::optional<Embedding> embedding_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::optional<Head> head_;

  std::vector<Block::Kept> kept_;
  Head::Kept keptByHead_;
  poplar::Tensor in_, seed_, labels_, out_, lossSum_, ofOut_, ofIn_;
  poplar::program::Sequence forward_, backward_;
};

} // namespace transformer
