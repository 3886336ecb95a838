#include "operation_run.hpp"
#include "popnn/Loss.hpp"

#include <algorithm>
#include <poputil/exceptions.hpp>

namespace copse::test {
namespace {

using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::UNSIGNED_INT;

constexpr double kMasked = 4294967295.0;

class LossTest : public ::testing::TestWithParam<Machine> {};

TEST_P(LossTest, CrossEntropyHasItsValueDeltasAndAccuracy) {
  for (const poplar::Type &type : {FLOAT, HALF}) {
    constexpr std::size_t rows = 9, columns = 6;
    const double scaling = type == HALF ? 1000 : 3, deltasScale = 8;
    OperationRun c(GetParam());
    std::mt19937 random(1);
    const Values p = randomValues(random, type, rows * columns, 0.1 * scaling, 0.3 * scaling);
    Values labels;
    for (std::size_t row = 0; row != rows; ++row)
      labels.push_back(row == 4 ? kMasked : static_cast<double>(row * 2 % columns));
    const Tensor loss = c.variable(type, {rows}), deltas = c.variable(type, {rows, columns});
    const Tensor correct = c.input(UNSIGNED_INT, {1}, {100});
    c.prog.add(popnn::calcLoss(c.graph, c.input(type, {rows, columns}, p),
                               c.input(UNSIGNED_INT, {rows}, labels), loss, deltas,
                               c.input(type, {}, {deltasScale}), c.input(type, {}, {scaling}),
                               correct, popnn::CROSS_ENTROPY_LOSS));
    const auto losses = c.output(loss), allDeltas = c.output(deltas), count = c.output(correct);
    c.run();
    Values expectedLoss(rows), expectedDeltas(rows * columns);
    double right = 100;
    for (std::size_t row = 0; row != rows; ++row) {
      if (labels[row] == kMasked)
        continue;
      const auto label = static_cast<std::size_t>(labels[row]);
      expectedLoss[row] = -std::log(p[row * columns + label] / scaling);
      for (std::size_t i = 0; i != columns; ++i)
        expectedDeltas[row * columns + i] =
            deltasScale / scaling * (p[row * columns + i] - (i == label ? scaling : 0));
      const auto begin = p.begin() + static_cast<std::ptrdiff_t>(row * columns);
      right += std::max_element(begin, begin + columns) - begin == static_cast<long>(label);
    }
    const double relative = type == HALF ? 0.01 : 1e-4;
    EXPECT_TRUE(areClose(c.read(losses), expectedLoss, relative, 1e-5));
    EXPECT_TRUE(areClose(c.read(allDeltas), expectedDeltas, relative, 1e-5));
    EXPECT_EQ(c.read(count)[0], right);
  }
}

TEST_P(LossTest, SumOfSquaresTakesMaskedLabelsAndIntegers) {
  OperationRun c(GetParam());
  std::mt19937 random(2);
  const Values p = randomValues(random, FLOAT, 12, 0, 1);
  const Tensor loss = c.variable(FLOAT, {3}), deltas = c.variable(FLOAT, {3, 4});
  c.prog.add(popnn::calcLoss(c.graph, c.input(FLOAT, {3, 4}, p), c.input(INT, {3}, {2, -1, 0}),
                             loss, deltas, popnn::SUM_SQUARED_LOSS));
  const auto losses = c.output(loss), allDeltas = c.output(deltas);
  c.run();
  Values expectedLoss(3), expectedDeltas(12);
  for (std::size_t row : {0U, 2U})
    for (std::size_t i = 0; i != 4; ++i) {
      const double d = p[row * 4 + i] - (i == (row == 0 ? 2U : 0U) ? 1 : 0);
      expectedDeltas[row * 4 + i] = d;
      expectedLoss[row] += 0.5 * d * d;
    }
  EXPECT_TRUE(areClose(c.read(losses), expectedLoss, 1e-4, 1e-6));
  EXPECT_TRUE(areClose(c.read(allDeltas), expectedDeltas, 1e-4, 1e-6));
}

TEST_P(LossTest, ExtremesAreTheFirstOfEachRow) {
  for (const poplar::Type &type : {FLOAT, HALF, INT, UNSIGNED_INT}) {
    OperationRun c(GetParam());
    const Tensor t = c.input(type, {3, 4}, {3, 7, 7, 1, 2, 2, 2, 2, 9, 8, 0, 0});
    const auto maxima = popnn::maxAndArgMax(c.graph, t, c.prog);
    const auto minima = popnn::minAndArgMin(c.graph, t, c.prog);
    const auto max = c.output(maxima.first), argMax = c.output(maxima.second);
    const auto min = c.output(minima.first), argMin = c.output(minima.second);
    c.run();
    EXPECT_EQ(c.read(max), (Values{7, 2, 9}));
    EXPECT_EQ(c.read(argMax), (Values{1, 0, 0}));
    EXPECT_EQ(c.read(min), (Values{1, 2, 0}));
    EXPECT_EQ(c.read(argMin), (Values{3, 0, 2}));
  }
}

TEST_P(LossTest, TopKIsInDescendingOrder) {
  OperationRun c(GetParam());
  std::mt19937 random(3);
  const Values x = randomValues(random, FLOAT, 5 * 23);
  Tensor indices;
  const Tensor values = popnn::topK(c.graph, c.input(FLOAT, {5, 23}, x), indices, 4, true, c.prog);
  EXPECT_EQ(values.shape(), (Shape{5, 1, 4}));
  const auto top = c.output(values), at = c.output(indices);
  c.run();
  for (std::size_t row = 0; row != 5; ++row) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * 23);
    Values sorted(begin, begin + 23);
    std::sort(sorted.rbegin(), sorted.rend());
    for (std::size_t k = 0; k != 4; ++k) {
      EXPECT_EQ(c.read(top)[row * 4 + k], sorted[k]);
      EXPECT_EQ(x[row * 23 + static_cast<std::size_t>(c.read(at)[row * 4 + k])], sorted[k]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, LossTest,
                         ::testing::Values(Machine::Cpu, Machine::Model, Machine::TwoIpuModel),
                         [](const auto &p) { return machineName(p.param); });

TEST(LossErrors, NameTheReason) {
  OperationRun c(Machine::Model);
  const Tensor p = c.variable(FLOAT, {3, 4}), labels = c.variable(INT, {3});
  const Tensor loss = c.variable(FLOAT, {3}), deltas = c.variable(FLOAT, {3, 4});
  const Tensor one = c.variable(FLOAT, {});
  const auto message = [](const auto &call) {
    try {
      call();
    } catch (const poputil::poplibs_error &e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message([&] {
              popnn::calcLoss(c.graph, p, labels, loss, deltas, one, one, popnn::SUM_SQUARED_LOSS);
            }),
            "calcLoss: scales can only be given for CROSS_ENTROPY_LOSS");
  EXPECT_EQ(
      message([&] { popnn::calcLoss(c.graph, p, loss, loss, deltas, popnn::CROSS_ENTROPY_LOSS); }),
      "calcLoss: the labels must be INT or UNSIGNED_INT, not float");
}

} // namespace
} // namespace copse::test
