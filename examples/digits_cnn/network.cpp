#include "network.hpp"

#include "../digits/dataset.hpp"

#include <cmath>
#include <gcl/Collectives.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/TileMapping.hpp>

namespace digits_cnn {

using namespace poplar;
using namespace poplar::program;

namespace {

Graph &withCodelets(Graph &graph) {
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  popnn::addCodelets(graph);
  poprand::addCodelets(graph);
  return graph;
}

} // namespace

Network::Network(Graph &graph, const NetworkOptions &options)
    : graph_(withCodelets(graph)), options_(options), first_(graph, options.batch, 8, 1, 8),
      second_(graph, options.batch, 4, 8, 16),
      weights_(poplin::createMatMulInputRHS(graph, FLOAT, {options.batch, 64},
                                            {64, digits::kClasses}, "weights")),
      images_(first_.createInput(graph)),
      labels_(graph.addVariable(INT, {options.batch}, "labels")),
      lossSum_(graph.addVariable(FLOAT, {}, "lossSum")) {
  poputil::mapTensorLinearly(graph, labels_);
  graph.setTileMapping(lossSum_, 0);
}

std::vector<Tensor> Network::parameters() const {
  std::vector<Tensor> all = first_.parameters();
  for (const Tensor &each : second_.parameters())
    all.push_back(each);
  all.push_back(weights_);
  return all;
}

Tensor Network::constant(float value) {
  Tensor t = graph_.addConstant(FLOAT, {}, value);
  graph_.setTileMapping(t, 0);
  return t;
}

/// Weights get the usual size for relu, standard deviation sqrt(2 / inputs); biases are 0.
Program Network::initialise() {
  Sequence prog;
  const Tensor seed = graph_.addConstant<unsigned>(UNSIGNED_INT, {2}, {options_.seed, 0}, "seed");
  graph_.setTileMapping(seed, 0);
  unsigned layer = 0;
  const auto draw = [&](const Tensor &weights, double inputs) {
    prog.add(Copy(
        poprand::normal(graph_, &seed, ++layer, weights, FLOAT, 0, std::sqrt(2.0 / inputs), prog),
        weights));
  };
  for (const Tensor &each : parameters())
    popops::zero(graph_, each, prog);
  draw(first_.weights(), 9 * 1);
  draw(second_.weights(), 9 * 8);
  draw(weights_, 64);
  return std::move(prog);
}

Tensor Network::forward(const DataStream &images, Sequence &prog) {
  prog.add(Copy(images, images_.reshape({options_.batch, digits::kPixels}).transpose()));
  const Tensor blocks = second_.forward(graph_, first_.forward(graph_, images_, prog), prog);
  flat_ = blocks.reshape({options_.batch, 64});
  Tensor out = poplin::matMul(graph_, flat_, weights_, prog);
  popnn::softmaxStableInPlace(graph_, out, prog);
  return out;
}

std::vector<Tensor> Network::backward(const Tensor &probabilities, Sequence &prog) {
  const Tensor loss = graph_.addVariable(FLOAT, {options_.batch}, "loss");
  poputil::mapTensorLinearly(graph_, loss);
  const Tensor deltas = graph_.clone(probabilities);
  const float images = static_cast<float>(options_.batch * options_.accumulate);
  prog.add(popnn::calcLoss(graph_, probabilities, labels_, loss, deltas, constant(1.0f / images),
                           constant(1), popnn::CROSS_ENTROPY_LOSS));
  popops::reduceWithOutput(graph_, loss, lossSum_, {0}, {popops::Operation::ADD, true}, prog);

  const Tensor ofFlat = poplin::matMul(graph_, deltas, weights_.transpose(), prog);
  const Tensor ofSecond =
      second_.backward(graph_, ofFlat.reshape({options_.batch, 16, 2, 2}), prog);
  const Tensor ofFirst =
      first_.backward(graph_, second_.inputGradient(graph_, ofSecond, prog), prog);
  std::vector<Tensor> gradients = first_.parameterGradients(graph_, ofFirst, prog);
  for (const Tensor &each : second_.parameterGradients(graph_, ofSecond, prog))
    gradients.push_back(each);
  gradients.push_back(poplin::matMul(graph_, flat_.transpose(), deltas, prog));
  return gradients;
}

std::vector<Tensor> Network::accumulated(Sequence &prog) {
  const auto images = graph_.addHostToDeviceFIFO(kImagesStream, FLOAT,
                                                 std::size_t{options_.batch} * digits::kPixels);
  const auto labels = graph_.addHostToDeviceFIFO(kLabelsStream, INT, options_.batch);
  Sequence microBatch(Copy(labels, labels_));
  std::vector<Tensor> gradients = backward(forward(images, microBatch), microBatch);
  if (options_.accumulate == 1) {
    prog.add(microBatch);
    return gradients;
  }
  std::vector<Tensor> sums;
  for (const Tensor &each : gradients) {
    sums.push_back(graph_.clone(each, "gradientSum"));
    popops::zero(graph_, sums.back(), prog);
    popops::scaledAddTo(graph_, sums.back(), each, 1.0f, microBatch);
  }
  prog.add(Repeat(options_.accumulate, microBatch));
  return sums;
}

void Network::update(const std::vector<Tensor> &gradients, Sequence &prog) {
  const std::vector<Tensor> all = parameters();
  for (std::size_t i = 0; i != all.size(); ++i)
    popops::scaledAddTo(graph_, all[i], gradients[i].reshape(all[i].shape()), -options_.rate, prog);
}

Program Network::trainStep() {
  Sequence prog;
  const std::vector<Tensor> gradients = accumulated(prog);
  if (graph_.getReplicationFactor() > 1)
    gcl::allReduceInPlaceCrossReplica(graph_, gradients, gcl::CollectiveOperator::MEAN, prog,
                                      "gradients");
  update(gradients, prog);
  return std::move(prog);
}

Program Network::predict() {
  Sequence prog;
  const auto images = graph_.addHostToDeviceFIFO(kTestImagesStream, FLOAT,
                                                 std::size_t{options_.batch} * digits::kPixels);
  const auto predictions =
      graph_.addDeviceToHostFIFO(kPredictionsStream, UNSIGNED_INT, options_.batch);
  const Tensor probabilities = forward(images, prog);
  prog.add(Copy(popnn::argMax(graph_, probabilities, prog), predictions));
  return std::move(prog);
}

} // namespace digits_cnn
