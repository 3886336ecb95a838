#include "operation_run.hpp"
#include "poplin/Convolution.hpp"

#include <algorithm>
#include <poplin/ConvUtil.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>
#include <sstream>

namespace copse::test {
namespace {

using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poplin::ConvParams;

/// Returns one dimension of a convolution, as a list of zeros and elements: each entry is the index
/// of an element, or -1. It follows the order of the steps, not index formulas.
std::vector<int> transformed(std::size_t size, const ConvParams::InputTransform &t, unsigned d) {
  std::vector<int> elements;
  for (std::size_t i = t.truncationLower[d]; i + t.truncationUpper[d] < size; ++i) {
    if (!elements.empty())
      elements.insert(elements.end(), t.dilation[d] - 1, -1);
    elements.push_back(static_cast<int>(i));
  }
  elements.insert(elements.begin(), t.paddingLower[d], -1);
  elements.insert(elements.end(), t.paddingUpper[d], -1);
  if (t.flip[d])
    std::reverse(elements.begin(), elements.end());
  return elements;
}

/// Returns, for each output of one dimension, the pairs of input and kernel that it adds up.
std::vector<std::vector<std::pair<int, int>>> pairsOf(const ConvParams &p, unsigned d) {
  const auto in = transformed(p.inputFieldShape[d], p.inputTransform, d);
  const auto kernel = transformed(p.kernelShape[d], p.kernelTransform, d);
  const auto &t = p.outputTransform;
  std::vector<std::vector<std::pair<int, int>>> out(t.paddingLower[d]);
  for (std::size_t o = t.truncationLower[d]; o + kernel.size() + t.truncationUpper[d] <= in.size();
       o += t.stride[d]) {
    out.emplace_back();
    for (std::size_t k = 0; k != kernel.size(); ++k)
      if (in[o + k] >= 0 && kernel[k] >= 0)
        out.back().emplace_back(in[o + k], kernel[k]);
  }
  out.resize(out.size() + t.paddingUpper[d]);
  return out;
}

/// A field of one to three dimensions, with missing dimensions added at the front.
struct Field {
  std::vector<std::vector<std::vector<std::pair<int, int>>>> pairs;
  Shape in{1, 1, 1}, kernel{1, 1, 1}, out{1, 1, 1};

  explicit Field(const ConvParams &p) {
    const std::size_t missing = 3 - p.getNumFieldDims();
    for (std::size_t d = 0; d != missing; ++d)
      pairs.push_back({{{0, 0}}});
    for (unsigned d = 0; d != p.getNumFieldDims(); ++d) {
      pairs.push_back(pairsOf(p, d));
      in[missing + d] = p.inputFieldShape[d];
      kernel[missing + d] = p.kernelShape[d];
      out[missing + d] = pairs.back().size();
    }
  }
  /// Calls f(output, input, kernel element) for all that meet, each as an index of its field.
  template <typename F> void forAll(const F &f) const {
    for (std::size_t x = 0; x != out[0]; ++x)
      for (std::size_t y = 0; y != out[1]; ++y)
        for (std::size_t z = 0; z != out[2]; ++z)
          for (const auto &[ix, kx] : pairs[0][x])
            for (const auto &[iy, ky] : pairs[1][y])
              for (const auto &[iz, kz] : pairs[2][z])
                f((x * out[1] + y) * out[2] + z,
                  (static_cast<std::size_t>(ix) * in[1] + iy) * in[2] + iz,
                  (static_cast<std::size_t>(kx) * kernel[1] + ky) * kernel[2] + kz);
  }
};

/// Calls f(output, input, weight) for every product of the forward pass, as indices of the tensors.
template <typename F> void forProducts(const ConvParams &p, const F &f) {
  const Field field(p);
  const std::size_t ins = elementsOf(field.in), outs = elementsOf(field.out);
  const std::size_t taps = elementsOf(field.kernel);
  const std::size_t ci = p.inputChannelsPerConvGroup, co = p.outputChannelsPerConvGroup;
  for (std::size_t b = 0; b != p.batchSize; ++b)
    for (std::size_t g = 0; g != p.numConvGroups; ++g)
      for (std::size_t o = 0; o != co; ++o)
        for (std::size_t i = 0; i != ci; ++i)
          field.forAll([&](std::size_t out, std::size_t in, std::size_t tap) {
            f(((b * p.numConvGroups + g) * co + o) * outs + out,
              ((b * p.numConvGroups + g) * ci + i) * ins + in,
              ((g * co + o) * ci + i) * taps + tap);
          });
}

Shape with(Shape shape, const Shape &field) {
  shape.insert(shape.end(), field.begin(), field.end());
  return shape;
}
Shape inputShape(const ConvParams &p) {
  return with({p.batchSize, p.getNumInputChans()}, p.inputFieldShape);
}
Shape weightsShape(const ConvParams &p) {
  return with({p.numConvGroups, p.outputChannelsPerConvGroup, p.inputChannelsPerConvGroup},
              p.kernelShape);
}
Shape outputShape(const ConvParams &p) {
  return with({p.batchSize, p.getNumOutputChans()}, p.getOutputFieldShape());
}

struct Case {
  const char *name;
  ConvParams params;
};

ConvParams plain(std::size_t batch, Shape field, Shape kernel, std::size_t in, std::size_t out,
                 std::size_t groups = 1) {
  return ConvParams(FLOAT, batch, field, kernel, in, out, groups);
}
template <typename Change> ConvParams changed(ConvParams p, const Change &change) {
  change(p);
  return p;
}

std::vector<Case> cases() {
  return {
      {"OneByOne", plain(2, {3, 4}, {1, 1}, 5, 6)},
      {"ThreeByThree", plain(2, {7, 6}, {3, 3}, 4, 20)},
      {"Padded", changed(plain(1, {5, 5}, {3, 3}, 17, 3),
                         [](ConvParams &p) {
                           p.inputTransform.paddingLower = {1, 0};
                           p.inputTransform.paddingUpper = {1, 2};
                         })},
      {"EvenKernelWithStride", changed(plain(2, {8, 9}, {2, 4}, 3, 5),
                                       [](ConvParams &p) {
                                         p.outputTransform.stride = {2, 3};
                                       })},
      {"StrideAboveKernel", changed(plain(1, {9, 7}, {1, 2}, 3, 2),
                                    [](ConvParams &p) {
                                      p.outputTransform.stride = {3, 4};
                                    })},
      {"Grouped", plain(2, {5, 5}, {3, 3}, 3, 4, 3)},
      {"Depthwise", plain(2, {6, 5}, {3, 3}, 1, 1, 11)},
      {"OneDimension", plain(3, {12}, {5}, 4, 4)},
      {"ThreeDimensions", plain(1, {4, 5, 3}, {2, 3, 2}, 3, 2)},
      {"DilatedInput", changed(plain(1, {4, 5}, {3, 3}, 3, 4),
                               [](ConvParams &p) {
                                 p.inputTransform.dilation = {2, 3};
                                 p.inputTransform.paddingLower = {2, 1};
                                 p.inputTransform.paddingUpper = {1, 2};
                               })},
      {"DilatedKernel", changed(plain(2, {9, 8}, {3, 2}, 3, 4),
                                [](ConvParams &p) {
                                  p.kernelTransform.dilation = {2, 4};
                                  p.kernelTransform.paddingLower = {1, 0};
                                  p.kernelTransform.paddingUpper = {0, 2};
                                })},
      {"Truncated", changed(plain(2, {9, 8}, {4, 3}, 3, 4),
                            [](ConvParams &p) {
                              p.inputTransform.truncationLower = {1, 0};
                              p.inputTransform.truncationUpper = {0, 2};
                              p.kernelTransform.truncationLower = {1, 0};
                              p.kernelTransform.truncationUpper = {1, 1};
                              p.outputTransform.truncationLower = {1, 2};
                              p.outputTransform.truncationUpper = {2, 0};
                            })},
      {"PaddedOutput", changed(plain(1, {5, 4}, {2, 2}, 3, 4),
                               [](ConvParams &p) {
                                 p.outputTransform.paddingLower = {1, 0};
                                 p.outputTransform.paddingUpper = {0, 2};
                               })},
      {"Flipped", changed(plain(2, {6, 5}, {3, 2}, 3, 4),
                          [](ConvParams &p) {
                            p.inputTransform.flip = {true, false};
                            p.inputTransform.paddingLower = {2, 0};
                            p.kernelTransform.flip = {false, true};
                          })},
      {"FlippedWithStride", changed(plain(1, {7, 6}, {3, 2}, 2, 3),
                                    [](ConvParams &p) {
                                      p.inputTransform.flip = {true, true};
                                      p.kernelTransform.flip = {true, false};
                                      p.outputTransform.stride = {2, 3};
                                    })},
      {"FullyConnected", plain(7, {1}, {1}, 33, 18)},
  };
}

class Convolution : public ::testing::TestWithParam<Case> {};

TEST_P(Convolution, ForwardEqualsAPlainSum) {
  const ConvParams &p = GetParam().params;
  for (const Machine device : {Machine::Cpu, Machine::Model, Machine::TwoIpuModel}) {
    SCOPED_TRACE(machineName(device));
    OperationRun c(device);
    std::mt19937 random(1);
    const Values in = randomValues(random, FLOAT, elementsOf(inputShape(p)));
    const Values weights = randomValues(random, FLOAT, elementsOf(weightsShape(p)));
    const bool created = device == Machine::Model;
    const Tensor I = created ? poplin::createInput(c.graph, p) : c.variable(FLOAT, inputShape(p));
    const Tensor W =
        created ? poplin::createWeights(c.graph, p) : c.variable(FLOAT, weightsShape(p));
    ASSERT_EQ(I.shape(), inputShape(p));
    ASSERT_EQ(W.shape(), weightsShape(p));
    c.initialise(I, in);
    c.initialise(W, weights);
    const Tensor out = poplin::convolution(c.graph, I, W, p, false, c.prog);
    ASSERT_EQ(out.shape(), outputShape(p));
    const auto result = c.output(out);
    c.run();
    Values expected(elementsOf(outputShape(p)));
    forProducts(
        p, [&](std::size_t o, std::size_t i, std::size_t w) { expected[o] += in[i] * weights[w]; });
    EXPECT_TRUE(areClose(c.read(result), expected, 1e-4, 1e-5));
  }
}

TEST_P(Convolution, BackwardAndWeightGradientsEqualPlainSums) {
  const ConvParams &p = GetParam().params;
  OperationRun c(Machine::Model);
  std::mt19937 random(2);
  const Values in = randomValues(random, FLOAT, elementsOf(inputShape(p)));
  const Values weights = randomValues(random, FLOAT, elementsOf(weightsShape(p)));
  const Values gradients = randomValues(random, FLOAT, elementsOf(outputShape(p)));
  const Tensor I = c.input(FLOAT, inputShape(p), in);
  const Tensor W = c.input(FLOAT, weightsShape(p), weights);
  const Tensor G = c.input(FLOAT, outputShape(p), gradients);
  const auto backward =
      c.output(poplin::convolution(c.graph, G, W, poplin::getGradientParams(p), true, c.prog));
  const Tensor deltas = poplin::calculateWeightDeltas(c.graph, G, I, p, c.prog);
  ASSERT_EQ(deltas.shape(), weightsShape(p));
  const auto update = c.output(deltas);
  c.run();
  Values expectedBackward(in.size()), expectedUpdate(weights.size());
  forProducts(p, [&](std::size_t o, std::size_t i, std::size_t w) {
    expectedBackward[i] += gradients[o] * weights[w];
    expectedUpdate[w] += gradients[o] * in[i];
  });
  {
    SCOPED_TRACE("backward");
    EXPECT_TRUE(areClose(c.read(backward), expectedBackward, 1e-4, 1e-5));
  }
  EXPECT_TRUE(areClose(c.read(update), expectedUpdate, 1e-4, 1e-5));
}

INSTANTIATE_TEST_SUITE_P(Params, Convolution, ::testing::ValuesIn(cases()),
                         [](const auto &p) { return p.param.name; });

TEST(ConvolutionTypes, HalvesProduceHalvesOrFloats) {
  for (const poplar::Type &out : {HALF, FLOAT}) {
    OperationRun c(Machine::Model);
    const ConvParams p(HALF, out, 2, {5, 6}, {3, 3}, 19, 18, 1);
    std::mt19937 random(3);
    const Values in = randomValues(random, HALF, elementsOf(inputShape(p)));
    const Values weights = randomValues(random, HALF, elementsOf(weightsShape(p)));
    const Tensor I = c.input(HALF, inputShape(p), in), W = c.input(HALF, weightsShape(p), weights);
    const auto result = c.output(poplin::convolution(c.graph, I, W, p, false, c.prog));
    c.run();
    Values expected(elementsOf(outputShape(p)));
    forProducts(
        p, [&](std::size_t o, std::size_t i, std::size_t w) { expected[o] += in[i] * weights[w]; });
    EXPECT_TRUE(areClose(c.read(result), expected, 0.01, 5e-3));
  }
}

TEST(ConvolutionUpdate, AddsScaledGradients) {
  OperationRun c(Machine::Model);
  const ConvParams p = plain(2, {5, 4}, {2, 3}, 3, 4);
  std::mt19937 random(4);
  const Values in = randomValues(random, FLOAT, elementsOf(inputShape(p)));
  const Values weights = randomValues(random, FLOAT, elementsOf(weightsShape(p)));
  const Values gradients = randomValues(random, FLOAT, elementsOf(outputShape(p)));
  const Tensor I = c.input(FLOAT, inputShape(p), in), G = c.input(FLOAT, outputShape(p), gradients);
  const Tensor W = c.input(FLOAT, weightsShape(p), weights);
  const Tensor scale = c.input(FLOAT, {1}, {-0.25});
  const Tensor biases = poplin::createBiases(c.graph, G);
  ASSERT_EQ(biases.shape(), (Shape{4}));
  c.initialise(biases, {1, 2, 3, 4});
  poplin::convolutionWeightUpdate(c.graph, G, W, I, p, -0.5f, c.prog);
  poplin::convolutionWeightUpdate(c.graph, G, W, I, p, scale, c.prog);
  poplin::convolutionBiasUpdate(c.graph, G, biases, 0.5f, {}, c.prog);
  const Tensor acts = poputil::duplicate(c.graph, G, c.prog);
  poplin::addBias(c.graph, acts, biases, c.prog);
  const auto updated = c.output(W), newBiases = c.output(biases), biased = c.output(acts);
  c.run();
  Values expected = weights;
  forProducts(p, [&](std::size_t o, std::size_t i, std::size_t w) {
    expected[w] -= 0.75 * gradients[o] * in[i];
  });
  EXPECT_TRUE(areClose(c.read(updated), expected, 1e-4, 1e-5));
  Values sums{1, 2, 3, 4}, withBias = gradients;
  const std::size_t pixels = elementsOf(p.getOutputFieldShape());
  for (std::size_t i = 0; i != gradients.size(); ++i)
    sums[i / pixels % 4] += 0.5 * gradients[i];
  for (std::size_t i = 0; i != gradients.size(); ++i)
    withBias[i] += sums[i / pixels % 4];
  EXPECT_TRUE(areClose(c.read(newBiases), sums, 1e-4, 1e-5));
  EXPECT_TRUE(areClose(c.read(biased), withBias, 1e-4, 1e-5));
}

TEST(ConvolutionWeights, AreTransposedAndFlipped) {
  OperationRun c(Machine::Model);
  Values values(2 * 3 * 4 * 2);
  for (std::size_t i = 0; i != values.size(); ++i)
    values[i] = static_cast<double>(i);
  const Tensor in = c.input(FLOAT, {2, 3, 4, 2}, values), out = c.variable(FLOAT, {2, 4, 3, 2});
  poplin::weightsTransposeChansFlipXY(c.graph, in, out, c.prog);
  const auto result = c.output(out);
  c.run();
  for (std::size_t g = 0; g != 2; ++g)
    for (std::size_t o = 0; o != 3; ++o)
      for (std::size_t i = 0; i != 4; ++i)
        for (std::size_t k = 0; k != 2; ++k)
          EXPECT_EQ(c.read(result)[((g * 4 + i) * 3 + o) * 2 + 1 - k],
                    values[((g * 3 + o) * 4 + i) * 2 + k]);
}

TEST(ConvolutionErrors, NameTheMismatch) {
  OperationRun c(Machine::Model);
  const ConvParams p = plain(2, {5, 4}, {2, 3}, 3, 4);
  const auto message = [&](const Shape &in, const Shape &weights, const ConvParams &params) {
    try {
      poplin::convolution(c.graph, c.variable(FLOAT, in), c.variable(FLOAT, weights), params, false,
                          c.prog);
    } catch (const poputil::poplibs_error &e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message({2, 3, 5, 5}, {1, 4, 3, 2, 3}, p),
            "convolution: the input [2,3,5,5] must be [2,3,5,4] by the parameters");
  EXPECT_EQ(message({2, 3, 5, 4}, {1, 3, 4, 2, 3}, p),
            "convolution: the weights [1,3,4,2,3] must be [1,4,3,2,3] by the parameters");
  EXPECT_EQ(message({}, {}, changed(p, [](ConvParams &q) { q.outputTransform.stride[1] = 0; })),
            "convolution: the stride is zero in field dimension 1");
  EXPECT_EQ(
      message({}, {}, plain(1, {2, 2}, {3, 1}, 1, 1)),
      "convolution: the input has 2 elements after its transform, fewer than the kernel's 3 in "
      "field dimension 0");
}

TEST(ConvolutionCosts, CountOnlyProductsWithData) {
  const ConvParams p = changed(plain(2, {4}, {3}, 5, 6), [](ConvParams &q) {
    q.inputTransform.paddingLower = {1};
    q.inputTransform.paddingUpper = {1};
  });
  EXPECT_EQ(poplin::getFwdFlops(p), 2U * 2 * 5 * 6 * 10); // 2 + 3 + 3 + 2 meet
  std::ostringstream out;
  OperationRun c(Machine::Model);
  poplin::reportPlanInfo(out, c.graph, p);
  EXPECT_THAT(out.str(), ::testing::HasSubstr("cycles: exchange"));
}

TEST(ConvParams, CanonicalFormIsTheSameConvolution) {
  for (const Case &each : cases()) {
    const ConvParams canonical = each.params.canonicalize();
    EXPECT_EQ(canonical.getOutputFieldShape(), each.params.getOutputFieldShape()) << each.name;
    for (unsigned d = 0; d != canonical.getNumFieldDims(); ++d)
      EXPECT_EQ(pairsOf(canonical, d), pairsOf(each.params, d)) << each.name;
    EXPECT_EQ(canonical, canonical.canonicalize()) << each.name;
  }
}

} // namespace
} // namespace copse::test
