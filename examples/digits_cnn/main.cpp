// digits_cnn: a small convolutional network learns to read handwritten digits. All operations are
// PopLibs calls. README.md says what to see.
#include "dataset.hpp"

#include <cstdio>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/codelets.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <stdexcept>

using namespace poplar;
using namespace poplar::program;

namespace {

constexpr unsigned kBatch = 32;
constexpr float kRate = 0.05f; // of learning; gradients are means over the batch

/// Draws weights of the usual size for relu: standard deviation sqrt(2 / inputs).
void drawWeights(Graph &graph, const Tensor &weights, std::size_t inputs, Sequence &prog) {
  static unsigned layer = 0;
  const Tensor seed = graph.addConstant<unsigned>(UNSIGNED_INT, {2}, {42, 0}, "seed");
  graph.setTileMapping(seed, 0);
  prog.add(Copy(poprand::normal(graph, &seed, ++layer, weights, FLOAT, 0,
                                std::sqrt(2.0 / static_cast<double>(inputs)), prog),
                weights));
}

/// Convolution of 3 x 3, relu, and the maximum of each 2 x 2.
class Block {
public:
  Block(Graph &graph, std::size_t width, std::size_t inputs, std::size_t outputs, Sequence &init)
      : params_(FLOAT, kBatch, {width, width}, {3, 3}, inputs, outputs, 1),
        pooling_(popnn::PoolingType::MAX, {width, width}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, outputs,
                 kBatch, FLOAT) {
    params_.inputTransform.paddingLower = params_.inputTransform.paddingUpper = {1, 1};
    weights_ = poplin::createWeights(graph, params_, "weights");
    biases_ = graph.addVariable(FLOAT, {outputs}, "biases");
    poputil::mapTensorLinearly(graph, biases_);
    drawWeights(graph, weights_, 9 * inputs, init);
    popops::zero(graph, biases_, init);
  }

  Tensor createInput(Graph &graph) const { return poplin::createInput(graph, params_, "images"); }

  Tensor forward(Graph &graph, const Tensor &in, Sequence &prog) {
    in_ = in;
    relu_ = poplin::convolution(graph, in, weights_, params_, false, prog);
    poplin::addBias(graph, relu_, biases_, prog);
    popnn::reluInPlace(graph, relu_, prog);
    return pooled_ = popnn::pooling::pool(graph, pooling_, relu_, prog);
  }
  /// Of what forward() did last. \returns the gradient of the convolution's result
  Tensor backward(Graph &graph, const Tensor &gradient, Sequence &prog) const {
    const Tensor ofRelu =
        popnn::pooling::poolInputGradient(graph, pooling_, relu_, pooled_, gradient, false, prog);
    return popnn::nonLinearityInputGradient(graph, popnn::NonLinearityType::RELU, relu_, ofRelu,
                                            prog);
  }
  Tensor inputGradient(Graph &graph, const Tensor &gradient, Sequence &prog) const {
    return poplin::convolution(graph, gradient, weights_, poplin::getGradientParams(params_), true,
                               prog);
  }
  void update(Graph &graph, const Tensor &gradient, Sequence &prog) {
    poplin::convolutionWeightUpdate(graph, gradient, weights_, in_, params_, -kRate, prog);
    poplin::convolutionBiasUpdate(graph, gradient, biases_, -kRate, {}, prog);
  }

private:
  poplin::ConvParams params_;
  popnn::pooling::PoolParams pooling_;
  Tensor weights_, biases_, in_, relu_, pooled_;
};

/// Two blocks and a fully connected layer: 8 x 8 pixels, 8 x 4 x 4, 16 x 2 x 2, 10 classes.
class Network {
public:
  Network(Graph &graph, Sequence &init)
      : graph_(graph), first_(graph, 8, 1, 8, init), second_(graph, 4, 8, 16, init),
        weights_(poplin::createMatMulInputRHS(graph, FLOAT, {kBatch, 64}, {64, digits::kClasses},
                                              "weights")),
        images_(first_.createInput(graph)), labels_(graph.addVariable(INT, {kBatch}, "labels")) {
    poputil::mapTensorLinearly(graph, labels_);
    drawWeights(graph, weights_, 64, init);
  }

  /// Takes a batch from the streams. \returns probabilities, shape [batch][classes]
  Tensor forward(const DataStream &images, const DataStream &labels, Sequence &prog) {
    prog.add(Copy(images, images_));
    prog.add(Copy(labels, labels_));
    const Tensor blocks = second_.forward(graph_, first_.forward(graph_, images_, prog), prog);
    flat_ = blocks.reshape({kBatch, 64});
    const Tensor out = poplin::matMul(graph_, flat_, weights_, prog);
    popnn::softmaxStableInPlace(graph_, out, prog);
    return out;
  }

  /// One step of gradient descent after forward(); adds the batch's loss to \p lossSum.
  void train(const Tensor &probabilities, const Tensor &lossSum, Sequence &prog) {
    const Tensor loss = graph_.addVariable(FLOAT, {kBatch}, "loss");
    poputil::mapTensorLinearly(graph_, loss);
    const Tensor deltas = graph_.clone(probabilities);
    const auto constant = [this](float value) {
      const Tensor t = graph_.addConstant(FLOAT, {}, value);
      graph_.setTileMapping(t, 0);
      return t;
    };
    prog.add(popnn::calcLoss(graph_, probabilities, labels_, loss, deltas, constant(1.0f / kBatch),
                             constant(1), popnn::CROSS_ENTROPY_LOSS));
    popops::reduceWithOutput(graph_, loss, lossSum, {0}, {popops::Operation::ADD, true}, prog);

    const Tensor ofFlat = poplin::matMul(graph_, deltas, weights_.transpose(), prog);
    const Tensor ofSecond = second_.backward(graph_, ofFlat.reshape({kBatch, 16, 2, 2}), prog);
    const Tensor ofFirst =
        first_.backward(graph_, second_.inputGradient(graph_, ofSecond, prog), prog);
    first_.update(graph_, ofFirst, prog);
    second_.update(graph_, ofSecond, prog);
    poplin::matMulAcc(graph_, weights_, -kRate, flat_.transpose(), deltas, prog);
  }

  /// Adds the number of images that forward() recognised to \p correct.
  void count(const Tensor &probabilities, const Tensor &correct, Sequence &prog) {
    prog.add(popnn::calcAccuracy(graph_, probabilities, labels_, correct));
  }

private:
  Graph &graph_;
  Block first_, second_;
  Tensor weights_, images_, labels_, flat_;
};

/// Whole batches of images, as the streams bring them; the rest is left out.
struct Batches {
  explicit Batches(const std::vector<digits::Image> &images) : count(images.size() / kBatch) {
    for (std::size_t i = 0; i != count * kBatch; ++i) {
      pixels.insert(pixels.end(), images[i].pixels.begin(), images[i].pixels.end());
      labels.push_back(images[i].label);
    }
  }
  std::size_t count;
  std::vector<float> pixels;
  std::vector<int> labels;
};

Device deviceFor(const std::string &name) {
  if (name == "model")
    return IPUModel().createDevice();
  for (Device &device : DeviceManager().getDevices(TargetType::IPU, 1))
    if (device.attach())
      return std::move(device);
  throw std::runtime_error("no IPU is free; use the model: digits_cnn EPOCHS model");
}

Tensor scalar(Graph &graph, const Type &type, const char *name) {
  const Tensor t = graph.addVariable(type, {}, name);
  graph.setTileMapping(t, 0);
  graph.createHostRead(name, t);
  return t;
}

void run(unsigned epochs, const std::string &deviceName) {
  const digits::Dataset dataset = digits::readDataset(DIGITS_DATA_DIR "/digits.csv");
  Batches train(dataset.train), test(dataset.test);
  const Device device = deviceFor(deviceName);
  Graph graph(device);
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  popnn::addCodelets(graph);
  poprand::addCodelets(graph);

  Sequence init, epoch, evaluation, step, check;
  Network network(graph, init);
  const Tensor loss = scalar(graph, FLOAT, "loss"),
               correct = scalar(graph, UNSIGNED_INT, "correct");
  const auto stream = [&](const char *name, const Type &type, std::size_t elements) {
    return graph.addHostToDeviceFIFO(name, type, elements);
  };
  const auto trainImages = stream("images", FLOAT, kBatch * digits::kPixels),
             trainLabels = stream("labels", INT, kBatch),
             testImages = stream("testImages", FLOAT, kBatch * digits::kPixels),
             testLabels = stream("testLabels", INT, kBatch);
  network.train(network.forward(trainImages, trainLabels, step), loss, step);
  popops::zero(graph, loss, epoch);
  epoch.add(Repeat(static_cast<unsigned>(train.count), step));
  network.count(network.forward(testImages, testLabels, check), correct, check);
  popops::zero(graph, correct, evaluation);
  evaluation.add(Repeat(static_cast<unsigned>(test.count), check));

  Engine engine(graph, {init, epoch, evaluation});
  const auto connect = [&](const char *name, auto &data) {
    engine.connectStream(name, data.data(), data.data() + data.size());
  };
  connect("images", train.pixels);
  connect("labels", train.labels);
  connect("testImages", test.pixels);
  connect("testLabels", test.labels);
  engine.load(device);
  engine.run(0);
  for (unsigned e = 1; e <= epochs; ++e) {
    float sum = 0;
    engine.run(1);
    engine.readTensor("loss", &sum, &sum + 1);
    std::printf("epoch %3u/%u  loss %.4f\n", e, epochs,
                static_cast<double>(sum) / static_cast<double>(train.labels.size()));
  }
  unsigned right = 0;
  engine.run(2);
  engine.readTensor("correct", &right, &right + 1);
  std::printf("test accuracy %.2f %%\n", 100.0 * right / static_cast<double>(test.labels.size()));
}

} // namespace

int main(int argc, char **argv) {
  try {
    run(argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 20, argc > 2 ? argv[2] : "ipu");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "digits_cnn: %s\n", error.what());
    return 1;
  }
  return 0;
}
