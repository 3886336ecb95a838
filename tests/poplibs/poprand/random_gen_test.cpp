#include "operation_run.hpp"
#include "poprand/RandomGen.hpp"

#include <numeric>
#include <poplar/RandomSeed.hpp>
#include <poprand/codelets.hpp>
#include <poputil/exceptions.hpp>

namespace copse::test {
namespace {

using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::Type;
using poplar::UNSIGNED_INT;

constexpr std::size_t kSamples = 40000;

double meanOf(const Values &x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}
double deviationOf(const Values &x) {
  const double mean = meanOf(x);
  double sum = 0;
  for (const double value : x)
    sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(x.size()));
}
bool allInside(const Values &x, double low, double high) {
  return std::all_of(x.begin(), x.end(), [&](double v) { return v >= low && v <= high; });
}

/// Draws with a seed. \param draw  called with graph, seed, reference and program
template <typename Draw>
Values drawn(const Machine device, const Draw &draw, const Values &seed = {7, 9},
             std::size_t n = kSamples) {
  OperationRun c(device);
  poprand::addCodelets(c.graph);
  const Tensor s = c.input(UNSIGNED_INT, {2}, seed);
  const Tensor reference = c.variable(FLOAT, {n}, 1003);
  const auto result = c.output(draw(c.graph, &s, reference, c.prog));
  c.run();
  return c.read(result);
}

#define DRAW(expression)                                                                           \
  [=](poplar::Graph &graph, const Tensor *seed, const Tensor &reference,                           \
      poplar::program::Sequence &prog) { return expression; }

TEST(Uniform, StaysInItsRangeAndHasItsMoments) {
  for (const Machine device : {Machine::Cpu, Machine::Model})
    for (const Type &type : {FLOAT, HALF}) {
      const Values x =
          drawn(device, DRAW(poprand::uniform(graph, seed, 1, reference, type, -2.1, 5.3, prog)));
      EXPECT_TRUE(allInside(x, -2.1, 5.3)) << machineName(device);
      EXPECT_NEAR(meanOf(x), 1.6, 0.05);
      EXPECT_NEAR(deviationOf(x), 7.4 / std::sqrt(12.0), 0.05);
    }
}

TEST(Uniform, ReachesBothEndsForIntegers) {
  const Values x =
      drawn(Machine::Model, DRAW(poprand::uniform(graph, seed, 1, reference, INT, -3, 4, prog)));
  EXPECT_TRUE(allInside(x, -3, 4));
  EXPECT_EQ(*std::min_element(x.begin(), x.end()), -3);
  EXPECT_EQ(*std::max_element(x.begin(), x.end()), 4);
  EXPECT_NEAR(meanOf(x), 0.5, 0.05);
  const Values all = drawn(
      Machine::Model,
      DRAW(poprand::uniform(graph, seed, 1, reference, INT, -2147483648.0, 2147483647.0, prog)));
  EXPECT_NEAR(meanOf(all) / 2147483648.0, 0, 0.02);
}

TEST(LogUniform, HasUniformLogarithms) {
  for (const Type &type : {FLOAT, HALF}) {
    const Values x = drawn(
        Machine::Model, DRAW(poprand::logUniform(graph, seed, 1, reference, type, 2, 3000, prog)));
    EXPECT_TRUE(allInside(x, 2, 3000));
    Values logs;
    for (const double v : x)
      logs.push_back(std::log(v));
    EXPECT_NEAR(meanOf(logs), (std::log(2.0) + std::log(3000.0)) / 2, 0.05);
    EXPECT_NEAR(deviationOf(logs), std::log(1500.0) / std::sqrt(12.0), 0.05);
  }
  EXPECT_TRUE(allInside(drawn(Machine::Model, DRAW(poprand::logUniform(graph, seed, 1, reference,
                                                                       INT, 1, 100, prog))),
                        1, 100));
}

TEST(Bernoulli, ReturnsOnesWithTheGivenProbability) {
  for (const Type &type : {FLOAT, HALF, INT})
    for (const double probability : {0.0, 0.3, 1.0}) {
      const Values x =
          drawn(Machine::Model,
                DRAW(poprand::bernoulli(graph, seed, 1, reference, type, probability, prog)));
      EXPECT_TRUE(std::all_of(x.begin(), x.end(), [](double v) { return v == 0 || v == 1; }));
      EXPECT_NEAR(meanOf(x), probability, probability == 0.3 ? 0.01 : 0);
    }
}

TEST(Normal, HasItsMoments) {
  for (const Machine device : {Machine::Cpu, Machine::Model})
    for (const Type &type : {FLOAT, HALF}) {
      const Values x =
          drawn(device, DRAW(poprand::normal(graph, seed, 1, reference, type, 3, 2, prog)));
      EXPECT_NEAR(meanOf(x), 3, 0.05);
      EXPECT_NEAR(deviationOf(x), 2, 0.05);
      const auto beyond =
          std::count_if(x.begin(), x.end(), [](double v) { return v > 3 + 2 * 1.96; });
      EXPECT_NEAR(static_cast<double>(beyond) / kSamples, 0.025, 0.004);
    }
}

TEST(TruncatedNormal, StaysInsideAndHasTheDeviationOfTheTruncatedLaw) {
  for (const double alpha : {0.5, 2.0}) {
    const Values x =
        drawn(Machine::Model,
              DRAW(poprand::truncatedNormal(graph, seed, 1, reference, FLOAT, 1, 2, alpha, prog)));
    EXPECT_TRUE(allInside(x, 1 - 2 * alpha, 1 + 2 * alpha));
    const double density = std::exp(-alpha * alpha / 2) / std::sqrt(2 * M_PI);
    const double inside = std::erf(alpha / std::sqrt(2.0));
    EXPECT_NEAR(meanOf(x), 1, 0.05);
    EXPECT_NEAR(deviationOf(x), 2 * std::sqrt(1 - 2 * alpha * density / inside), 0.05);
  }
}

TEST(Seed, AloneDeterminesTheNumbers) {
  const auto normal = [](std::uint32_t modifier) {
    return DRAW(poprand::normal(graph, seed, modifier, reference, FLOAT, 0, 1, prog));
  };
  const Values first = drawn(Machine::Model, normal(3), {1, 2}, 500);
  EXPECT_EQ(drawn(Machine::Model, normal(3), {1, 2}, 500), first);
  EXPECT_NE(drawn(Machine::Model, normal(4), {1, 2}, 500), first);
  EXPECT_NE(drawn(Machine::Model, normal(3), {1, 3}, 500), first);
  EXPECT_NE(drawn(Machine::Model, normal(3), {2, 2}, 500), first);
}

TEST(Seed, GivesNoTwoTilesTheSameNumbers) {
  Values x =
      drawn(Machine::Model, DRAW(poprand::uniform(graph, seed, 1, reference, FLOAT, 0, 1, prog)));
  std::sort(x.begin(), x.end());
  const auto repeats = x.end() - std::unique(x.begin(), x.end());
  EXPECT_LT(repeats, 200); // among 2^24 numbers, a few are drawn twice
}

TEST(Seed, LeavesTheGeneratorsOfTheTilesAsTheyAre) {
  OperationRun c(Machine::Model);
  const Tensor seed = c.input(UNSIGNED_INT, {2}, {5, 6}), reference = c.variable(FLOAT, {100});
  const auto before = c.output(poplar::getHwSeeds(c.graph, c.prog));
  poprand::uniform(c.graph, &seed, 1, reference, FLOAT, 0, 1, c.prog);
  const auto after = c.output(poplar::getHwSeeds(c.graph, c.prog));
  c.run();
  EXPECT_EQ(c.read(before), c.read(after));
}

TEST(SetSeed, MakesUnseededNumbersReproducible) {
  OperationRun c(Machine::Model);
  const Tensor seed = c.input(UNSIGNED_INT, {2}, {5, 6}), reference = c.variable(FLOAT, {200});
  const auto draw = [&](std::uint32_t modifier) {
    poprand::setSeed(c.graph, seed, modifier, c.prog);
    return c.output(poprand::normal(c.graph, nullptr, 0, reference, FLOAT, 0, 1, c.prog));
  };
  const auto first = draw(1), again = draw(1), other = draw(2);
  const auto next = c.output(poprand::normal(c.graph, nullptr, 0, reference, FLOAT, 0, 1, c.prog));
  c.run();
  EXPECT_EQ(c.read(first), c.read(again));
  EXPECT_NE(c.read(first), c.read(other));
  EXPECT_NE(c.read(other), c.read(next));
}

TEST(Dropout, KeepsOrDropsAndScales) {
  for (const Type &type : {FLOAT, HALF}) {
    OperationRun c(Machine::Model);
    const Tensor seed = c.input(UNSIGNED_INT, {2}, {5, 6});
    const Tensor in = c.variable(type, {kSamples}, 801);
    c.initialise(in, Values(kSamples, 3.0));
    const Tensor reference = c.variable(type, {kSamples}, 500);
    const auto forward =
        c.output(poprand::dropout(c.graph, &seed, 4, in, reference, 0.7, 2.0, c.prog));
    const auto backward =
        c.output(poprand::dropout(c.graph, &seed, 4, in, reference, 0.7, 1.0, false, c.prog));
    const auto all = c.output(poprand::dropout(c.graph, &seed, 4, in, reference, 1.0, 2.0, c.prog));
    c.run();
    const Values &dropped = c.read(forward), &gradient = c.read(backward), &whole = c.read(all);
    std::size_t kept = 0;
    for (std::size_t i = 0; i != kSamples; ++i) {
      const double x = dropped[i];
      ASSERT_TRUE(x == 0 || x == 6);
      ASSERT_EQ(gradient[i], x / 2);
      ASSERT_EQ(whole[i], 3);
      kept += x != 0;
    }
    EXPECT_NEAR(static_cast<double>(kept) / kSamples, 0.7, 0.01);
  }
}

TEST(Dropout, DropsWholeRowsForASmallerShape) {
  OperationRun c(Machine::Model);
  const Tensor seed = c.input(UNSIGNED_INT, {2}, {5, 6});
  const Tensor in = c.input(FLOAT, {300, 4}, Values(1200, 1.0));
  const Tensor reference = c.variable(FLOAT, {300, 1});
  const auto result =
      c.output(poprand::shapedDropout(c.graph, &seed, 4, in, reference, 0.5, 2.0, c.prog));
  c.run();
  const Values &x = c.read(result);
  for (std::size_t i = 0; i != x.size(); ++i)
    ASSERT_EQ(x[i], x[i / 4 * 4]);
  EXPECT_NEAR(meanOf(x), 1, 0.2);
}

TEST(RandomErrors, NameFunctionAndReason) {
  OperationRun c(Machine::Model);
  const Tensor reference = c.variable(FLOAT, {4}), three = c.variable(UNSIGNED_INT, {3});
  const auto message = [](const auto &call) {
    try {
      call();
    } catch (const poputil::poplibs_error &e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message([&] { poprand::normal(c.graph, &three, 0, reference, FLOAT, 0, 1, c.prog); }),
            "normal: the seed must be UNSIGNED_INT of shape {2}, not unsigned int of shape {3}");
  EXPECT_EQ(message([&] { poprand::normal(c.graph, nullptr, 0, reference, INT, 0, 1, c.prog); }),
            "normal: the result must be FLOAT or HALF, not int");
  EXPECT_EQ(
      message([&] { poprand::logUniform(c.graph, nullptr, 0, reference, FLOAT, 0.5, 2, c.prog); }),
      "logUniform: the smallest value 0.500000 is below 1");
  EXPECT_EQ(
      message([&] { poprand::logUniform(c.graph, nullptr, 0, reference, INT, 1.5, 2, c.prog); }),
      "logUniform: for INT, the bounds must be integers");
  EXPECT_EQ(
      message([&] { poprand::dropout(c.graph, nullptr, 0, reference, reference, 1.5, 1, c.prog); }),
      "dropout: the probability 1.500000 is not from 0 to 1");
  EXPECT_NE(message([&] { poprand::uniform(c.graph, nullptr, 0, reference, INT, 0, 5e9, c.prog); }),
            "no error");
}

} // namespace
} // namespace copse::test
