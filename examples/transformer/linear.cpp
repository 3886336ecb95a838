#include "linear.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>

namespace transformer {

using poplar::FLOAT;
using poplar::Tensor;
using poplar::program::Sequence;

Linear::Linear(LayerContext &context, std::size_t inputs, std::size_t outputs, double deviation,
               const std::string &name)
    : context_(context), name_(name) {
  poplar::Graph &graph = context.graph;
  weights_ = context.parameters.addRandom(
      poplin::createMatMulInputRHS(graph, FLOAT, {context.shape.rows(), inputs}, {inputs, outputs},
                                   name + "/weights", {}, &context.plans),
      deviation, name + "/weights");
  const Tensor bias = graph.addVariable(FLOAT, {outputs}, name + "/bias");
  poputil::mapTensorLinearly(graph, bias);
  bias_ = context.parameters.addConstant(bias, 0, name + "/bias");
}

Tensor Linear::forward(const Tensor &x, Sequence &prog) const {
  const Tensor y = poplin::matMul(context_.graph, x, weights_.value, prog, name_ + "/forward", {},
                                  &context_.plans);
  popops::addInPlace(context_.graph, y, bias_.value.expand({0}), prog, name_ + "/addBias");
  return y;
}

Tensor Linear::backward(const Tensor &x, const Tensor &gradient, Sequence &prog) const {
  poplar::Graph &graph = context_.graph;
  poplin::matMulAcc(graph, weights_.gradient, 1.0f, x.transpose(), gradient, prog,
                    name_ + "/weightGradient", {}, &context_.plans);
  popops::reduceWithOutput(graph, gradient, bias_.gradient, {0}, {popops::Operation::ADD, true},
                           prog, name_ + "/biasGradient");
  return poplin::matMul(graph, gradient, weights_.value.transpose(), prog, name_ + "/backward", {},
                        &context_.plans);
}

} // namespace transformer
