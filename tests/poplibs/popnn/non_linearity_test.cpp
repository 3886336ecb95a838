#include "operation_run.hpp"
#include "popnn/NonLinearity.hpp"

#include <popnn/LogSoftmax.hpp>
#include <popnn/NonLinearityDefUtil.hpp>
#include <popnn/codelets.hpp>
#include <poputil/exceptions.hpp>
#include <sstream>

namespace copse::test {
namespace {

using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using Kind = popnn::NonLinearityType;

const Kind kElementWise[] = {Kind::SIGMOID, Kind::HARD_SIGMOID, Kind::RELU,
                             Kind::TANH,    Kind::GELU,         Kind::SWISH};

double valueOf(Kind kind, double x) {
  switch (kind) {
  case Kind::SIGMOID:
    return 1 / (1 + std::exp(-x));
  case Kind::HARD_SIGMOID:
    return std::min(std::max(0.2 * x + 0.5, 0.0), 1.0);
  case Kind::RELU:
    return std::max(x, 0.0);
  case Kind::TANH:
    return std::tanh(x);
  case Kind::GELU:
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  default:
    return x / (1 + std::exp(-x));
  }
}

/// Computes the slope of the definition, by differences.
double slopeOf(Kind kind, double x) {
  const double h = 1e-6;
  return (valueOf(kind, x + h) - valueOf(kind, x - h)) / (2 * h);
}

/// Returns true if the gradient's input is the function's result instead of its argument.
bool takesResult(Kind kind) {
  return kind == Kind::SIGMOID || kind == Kind::RELU || kind == Kind::TANH;
}

Values softmaxOf(const Values &x, std::size_t columns, double factor = 1) {
  Values y = x;
  for (std::size_t row = 0; row < x.size(); row += columns) {
    double sum = 0;
    for (std::size_t i = 0; i != columns; ++i)
      sum += std::exp(x[row + i]);
    for (std::size_t i = 0; i != columns; ++i)
      y[row + i] = factor * std::exp(x[row + i]) / sum;
  }
  return y;
}

class NonLinearity : public ::testing::TestWithParam<Machine> {};

TEST_P(NonLinearity, ValuesEqualTheDefinitions) {
  for (const poplar::Type &type : {FLOAT, HALF})
    for (const Kind kind : kElementWise) {
      SCOPED_TRACE(std::string(popnn::asString(kind)) + " " + type.toString());
      OperationRun c(GetParam());
      popnn::addCodelets(c.graph);
      std::mt19937 random(1);
      const Values x = randomValues(random, type, 66, -4, 4);
      const Tensor t = c.input(type, {6, 11}, x);
      const auto result = c.output(popnn::nonLinearity(c.graph, kind, t.transpose(), c.prog));
      popnn::nonLinearityInPlace(c.graph, kind, t, c.prog);
      const auto inPlace = c.output(t);
      c.run();
      Values expected, transposed;
      for (const double v : x)
        expected.push_back(valueOf(kind, v));
      for (std::size_t j = 0; j != 11; ++j)
        for (std::size_t i = 0; i != 6; ++i)
          transposed.push_back(expected[i * 11 + j]);
      const double relative = type == HALF ? 2e-3 : 1e-4, absolute = type == HALF ? 1e-3 : 1e-6;
      EXPECT_TRUE(areClose(c.read(inPlace), expected, relative, absolute));
      EXPECT_TRUE(areClose(c.read(result), transposed, relative, absolute));
    }
}

TEST_P(NonLinearity, GradientsAreTheSlopesOfTheDefinitions) {
  for (const poplar::Type &type : {FLOAT, HALF})
    for (const Kind kind : kElementWise) {
      SCOPED_TRACE(std::string(popnn::asString(kind)) + " " + type.toString());
      OperationRun c(GetParam());
      std::mt19937 random(2);
      const Values x = randomValues(random, type, 50, -2.4, 2.4);
      const Values g = randomValues(random, type, 50);
      Values act = x;
      for (double &v : act)
        v = rounded(type, takesResult(kind) ? valueOf(kind, v) : v);
      const auto result = c.output(popnn::nonLinearityInputGradient(
          c.graph, kind, c.input(type, {50}, act), c.input(type, {50}, g), c.prog));
      c.run();
      Values expected;
      for (std::size_t i = 0; i != 50; ++i)
        expected.push_back(g[i] * slopeOf(kind, x[i]));
      EXPECT_TRUE(areClose(c.read(result), expected, type == HALF ? 0.01 : 1e-3,
                           type == HALF ? 3e-3 : 1e-5));
    }
}

TEST_P(NonLinearity, SoftmaxActsOnTheInnermostDimension) {
  for (const poplar::Type &type : {FLOAT, HALF}) {
    OperationRun c(GetParam());
    std::mt19937 random(3);
    const Values x = randomValues(random, type, 2 * 3 * 7, -3, 3);
    const Tensor t = c.input(type, {2, 3, 7}, x);
    float scaling = 0;
    const auto plain = c.output(popnn::softmax(c.graph, t, scaling, c.prog));
    EXPECT_EQ(scaling, 1);
    const auto scaled = c.output(popnn::scaledSoftmaxStable(c.graph, t, scaling, c.prog));
    EXPECT_EQ(scaling, 62000);
    const auto logs = c.output(popnn::logSoftmax(c.graph, t, c.prog));
    popnn::softmaxStableInPlace(c.graph, t, c.prog);
    const auto inPlace = c.output(t);
    c.run();
    const Values expected = softmaxOf(x, 7);
    Values expectedLogs;
    for (const double p : expected)
      expectedLogs.push_back(std::log(p));
    const double relative = type == HALF ? 2e-3 : 1e-4;
    EXPECT_TRUE(areClose(c.read(plain), expected, relative, 1e-6));
    EXPECT_TRUE(areClose(c.read(inPlace), expected, relative, 1e-6));
    EXPECT_TRUE(areClose(c.read(scaled), softmaxOf(x, 7, 62000), relative, 1e-6));
    EXPECT_TRUE(areClose(c.read(logs), expectedLogs, relative, 1e-4));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, NonLinearity,
                         ::testing::Values(Machine::Cpu, Machine::Model, Machine::TwoIpuModel),
                         [](const auto &p) { return machineName(p.param); });

TEST(Softmax, StableFormsAcceptLargeNumbers) {
  OperationRun c(Machine::Model);
  const Tensor t = c.input(FLOAT, {3}, {1000, 1001, 999});
  const auto stable = c.output(popnn::softmaxStable(c.graph, t, c.prog));
  c.run();
  EXPECT_TRUE(areClose(c.read(stable), softmaxOf({0, 1, -1}, 3), 1e-5, 0));
}

TEST(Softmax, GradientIsThatOfTheRow) {
  OperationRun c(Machine::Model);
  std::mt19937 random(4);
  const Values x = randomValues(random, FLOAT, 20), g = randomValues(random, FLOAT, 20);
  const auto result = c.output(popnn::nonLinearityInputGradient(
      c.graph, Kind::SOFTMAX, c.input(FLOAT, {4, 5}, softmaxOf(x, 5)), c.input(FLOAT, {4, 5}, g),
      c.prog));
  c.run();
  Values expected(20);
  const double h = 1e-6;
  for (std::size_t i = 0; i != 20; ++i) {
    Values up = x, down = x;
    up[i] += h;
    down[i] -= h;
    const Values above = softmaxOf(up, 5), below = softmaxOf(down, 5);
    for (std::size_t j = 0; j != 20; ++j)
      expected[i] += g[j] * (above[j] - below[j]) / (2 * h);
  }
  EXPECT_TRUE(areClose(c.read(result), expected, 1e-3, 1e-6));
}

TEST(NonLinearityNames, AreReadAndPrinted) {
  std::istringstream in("hard_sigmoid softmax_scaled");
  Kind kind;
  in >> kind;
  EXPECT_STREQ(popnn::asString(kind), "hard sigmoid");
  in >> kind;
  EXPECT_STREQ(popnn::asString(kind), "softmax (scaled, stable)");
  std::istringstream wrong("elu");
  EXPECT_THROW(wrong >> kind, poputil::poplibs_error);
}

TEST(NonLinearityErrors, NameTheReason) {
  OperationRun c(Machine::Model);
  const auto message = [](const auto &call) {
    try {
      call();
    } catch (const poputil::poplibs_error &e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message([&] { popnn::relu(c.graph, c.variable(poplar::INT, {3}), c.prog); }),
            "nonLinearity: the tensor must be FLOAT or HALF, not int");
  EXPECT_EQ(
      message([&] { popnn::reluInPlace(c.graph, c.variable(FLOAT, {1}).broadcast(3, 0), c.prog); }),
      "nonLinearityInPlace: the tensor has constants or an element twice and cannot be changed "
      "in place");
  EXPECT_EQ(message([&] { popnn::softmax(c.graph, c.variable(FLOAT, {}), c.prog); }),
            "softmax: a scalar has no innermost dimension");
}

} // namespace
} // namespace copse::test
