#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <popnn/Pooling.hpp>
#include <vector>

namespace digits_cnn {

/// Convolution of 3 x 3, relu, and the maximum of each 2 x 2.
class Block {
public:
  Block(poplar::Graph &graph, unsigned batch, std::size_t width, std::size_t inputs,
        std::size_t outputs);

  poplar::Tensor createInput(poplar::Graph &graph) const {
    return poplin::createInput(graph, params_, "images");
  }

  poplar::Tensor forward(poplar::Graph &graph, const poplar::Tensor &in,
                         poplar::program::Sequence &prog);
  /// Computes the gradient of the convolution's result for the last forward().
  poplar::Tensor backward(poplar::Graph &graph, const poplar::Tensor &gradient,
                          poplar::program::Sequence &prog) const;

  /// Computes the gradient of the input.
  /// \param gradient  the result of backward()
  poplar::Tensor inputGradient(poplar::Graph &graph, const poplar::Tensor &gradient,
                               poplar::program::Sequence &prog) const;
  /// Computes the gradients of the parameters, in the order of parameters().
  std::vector<poplar::Tensor> parameterGradients(poplar::Graph &graph,
                                                 const poplar::Tensor &gradient,
                                                 poplar::program::Sequence &prog) const;

  std::vector<poplar::Tensor> parameters() const { return {weights_, biases_}; }
  const poplar::Tensor &weights() const { return weights_; }

private:
  poplin::ConvParams params_;
  popnn::pooling::PoolParams pooling_;
  poplar::Tensor weights_, biases_, in_, relu_, pooled_;
};

} // namespace digits_cnn
