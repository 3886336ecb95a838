#include "block.hpp"

#include <popnn/NonLinearity.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>

namespace digits_cnn {

using namespace poplar;
using namespace poplar::program;

Block::Block(Graph &graph, unsigned batch, std::size_t width, std::size_t inputs,
             std::size_t outputs)
    : params_(FLOAT, batch, {width, width}, {3, 3}, inputs, outputs, 1),
      pooling_(popnn::PoolingType::MAX, {width, width}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, outputs,
               batch, FLOAT) {
  params_.inputTransform.paddingLower = params_.inputTransform.paddingUpper = {1, 1};
  weights_ = poplin::createWeights(graph, params_, "weights");
  biases_ = graph.addVariable(FLOAT, {outputs}, "biases");
  poputil::mapTensorLinearly(graph, biases_);
}

Tensor Block::forward(Graph &graph, const Tensor &in, Sequence &prog) {
  in_ = in;
  relu_ = poplin::convolution(graph, in, weights_, params_, false, prog);
  poplin::addBias(graph, relu_, biases_, prog);
  popnn::reluInPlace(graph, relu_, prog);
  return pooled_ = popnn::pooling::pool(graph, pooling_, relu_, prog);
}

Tensor Block::backward(Graph &graph, const Tensor &gradient, Sequence &prog) const {
  const Tensor ofRelu =
      popnn::pooling::poolInputGradient(graph, pooling_, relu_, pooled_, gradient, false, prog);
  return popnn::nonLinearityInputGradient(graph, popnn::NonLinearityType::RELU, relu_, ofRelu,
                                          prog);
}

Tensor Block::inputGradient(Graph &graph, const Tensor &gradient, Sequence &prog) const {
  return poplin::convolution(graph, gradient, weights_, poplin::getGradientParams(params_), true,
                             prog);
}

std::vector<Tensor> Block::parameterGradients(Graph &graph, const Tensor &gradient,
                                              Sequence &prog) const {
  return {poplin::calculateWeightDeltas(graph, gradient, in_, params_, prog),
          popops::reduce(graph, gradient, {0, 2, 3}, popops::Operation::ADD, prog)};
}

} // namespace digits_cnn
