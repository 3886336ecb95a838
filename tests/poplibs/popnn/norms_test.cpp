// Compares batch, group, instance and layer norm with formulae in double, and gradients with
// differences.
#include "operation_run.hpp"

#include <poplar/exceptions.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/Norms.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

namespace copse::test {
namespace {

using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;

constexpr double kEps = 0.01;

/// Activations [items][channels][field], and the statistics to which each element belongs.
struct Layer {
  std::size_t items, channels, field;
  std::vector<std::size_t> statisticsOf; ///< for each element

  Shape shape() const { return {items, channels, field}; }
  std::size_t channelOf(std::size_t element) const { return element / field % channels; }
  std::size_t itemOf(std::size_t element) const { return element / field / channels; }
  std::size_t statistics() const {
    return *std::max_element(statisticsOf.begin(), statisticsOf.end()) + 1;
  }
};

template <typename Function>
Layer layer(std::size_t items, std::size_t channels, std::size_t field, Function statisticsOf) {
  Layer l{items, channels, field, {}};
  for (std::size_t i = 0; i != items * channels * field; ++i)
    l.statisticsOf.push_back(statisticsOf(l.itemOf(i), l.channelOf(i)));
  return l;
}

struct Statistics {
  Values mean, invStdDev;
};

Statistics statisticsOf(const Layer &l, const Values &x, bool unbiased) {
  Statistics s{Values(l.statistics()), Values(l.statistics())};
  const double m = static_cast<double>(x.size()) / static_cast<double>(l.statistics());
  for (std::size_t i = 0; i != x.size(); ++i)
    s.mean[l.statisticsOf[i]] += x[i] / m;
  for (std::size_t i = 0; i != x.size(); ++i)
    s.invStdDev[l.statisticsOf[i]] += std::pow(x[i] - s.mean[l.statisticsOf[i]], 2) / m;
  for (double &value : s.invStdDev)
    value = 1 / std::sqrt((value + kEps) * (unbiased ? m / (m - 1) : 1));
  return s;
}

Values whitened(const Layer &l, const Values &x, const Statistics &s) {
  Values w(x.size());
  for (std::size_t i = 0; i != x.size(); ++i)
    w[i] = (x[i] - s.mean[l.statisticsOf[i]]) * s.invStdDev[l.statisticsOf[i]];
  return w;
}

Values normalised(const Layer &l, const Values &white, const Values &gamma, const Values &beta) {
  Values y(white.size());
  for (std::size_t i = 0; i != white.size(); ++i)
    y[i] = gamma[l.channelOf(i)] * white[i] + beta[l.channelOf(i)];
  return y;
}

/// Returns the derivative of sum(y * gradient) with respect to each element of \p x, by
/// differences.
Values derivative(const Layer &l, Values x, const Values &gamma, const Values &gradient) {
  constexpr double kStep = 1e-4;
  const auto value = [&] {
    const Values y =
        normalised(l, whitened(l, x, statisticsOf(l, x, false)), gamma, Values(gamma.size()));
    double sum = 0;
    for (std::size_t i = 0; i != y.size(); ++i)
      sum += y[i] * gradient[i];
    return sum;
  };
  Values d(x.size());
  for (std::size_t i = 0; i != x.size(); ++i) {
    const double at = x[i];
    x[i] = at + kStep;
    const double above = value();
    x[i] = at - kStep;
    d[i] = (above - value()) / (2 * kStep);
    x[i] = at;
  }
  return d;
}

/// The functions of a norm, whatever their names.
struct Norm {
  using Pair = std::pair<Tensor, Tensor>;
  using Program = poplar::program::Sequence;
  const char *name;
  Layer layer;
  std::function<Pair(poplar::Graph &, const Tensor &acts, Program &, bool unbiased, bool stable)>
      statistics;
  std::function<Pair(poplar::Graph &, const Tensor &acts, const Tensor &gamma, const Tensor &beta,
                     const Pair &statistics, Program &)>
      normalise;
  std::function<Pair(poplar::Graph &, const Tensor &acts, const Tensor &gradients,
                     const Pair &statistics, Program &)>
      paramGradients;
  std::function<Tensor(poplar::Graph &, const Tensor &acts, const Tensor &gradients,
                       const Pair &statistics, const Tensor &gamma, Program &)>
      gradients;
};

void PrintTo(const Norm &norm, std::ostream *out) { *out << norm.name; }

// The options are passed to every call of a layer.
#define FUNCTIONS_OF(space, prefix, options)                                                       \
  [](auto &g, auto &x, auto &gamma, auto &beta, auto &s, auto &prog) {                             \
    return popnn::space::prefix##alise(g, x, gamma, beta, s.first, s.second, prog, {}, options);   \
  },                                                                                               \
      [](auto &g, auto &x, auto &dy, auto &s, auto &prog) {                                        \
        return popnn::space::prefix##ParamGradients(g, x, dy, s.first, s.second, prog, FLOAT, {},  \
                                                    options);                                      \
      },                                                                                           \
      [](auto &g, auto &x, auto &dy, auto &s, auto &gamma, auto &prog) {                           \
        return popnn::space::prefix##Gradients(g, x, dy, s.first, s.second, gamma, prog, FLOAT,    \
                                               {}, options);                                       \
      }

std::vector<Norm> norms() {
  static const poplar::OptionFlags none, adjacent{{"groupNormStridedChannelGrouping", "false"}};
  return {
      {"Batch", layer(3, 4, 5, [](std::size_t, std::size_t c) { return c; }),
       [](auto &g, auto &x, auto &prog, bool unbiased, bool stable) {
         return popnn::bn::batchNormStatistics(g, x, kEps, prog, unbiased, stable);
       },
       FUNCTIONS_OF(bn, batchNorm, none)},
      {"Group", layer(2, 6, 7, [](std::size_t b, std::size_t c) { return b * 3 + c % 3; }),
       [](auto &g, auto &x, auto &prog, bool unbiased, bool stable) {
         return popnn::gn::groupNormStatistics(g, x, kEps, prog, 3, unbiased, stable);
       },
       FUNCTIONS_OF(gn, groupNorm, none)},
      {"GroupOfAdjacent",
       layer(2, 6, 4, [](std::size_t b, std::size_t c) { return b * 3 + c / 2; }),
       [](auto &g, auto &x, auto &prog, bool unbiased, bool stable) {
         return popnn::gn::groupNormStatistics(g, x, kEps, prog, 3, unbiased, stable, FLOAT, {},
                                               adjacent);
       },
       FUNCTIONS_OF(gn, groupNorm, adjacent)},
      {"Instance", layer(2, 3, 8, [](std::size_t b, std::size_t c) { return b * 3 + c; }),
       [](auto &g, auto &x, auto &prog, bool unbiased, bool stable) {
         return popnn::in::instanceNormStatistics(g, x, kEps, prog, unbiased, stable);
       },
       FUNCTIONS_OF(in, instanceNorm, none)},
      {"Layer", layer(4, 5, 3, [](std::size_t b, std::size_t) { return b; }),
       [](auto &g, auto &x, auto &prog, bool unbiased, bool stable) {
         return popnn::ln::layerNormStatistics(g, x, kEps, prog, unbiased, stable);
       },
       FUNCTIONS_OF(ln, layerNorm, none)},
  };
}

class NormsTest : public ::testing::TestWithParam<Norm> {};

TEST_P(NormsTest, ForwardAndBackwardPassesFollowTheFormulae) {
  const Norm &norm = GetParam();
  const Layer &l = norm.layer;
  for (const poplar::Type &type : {FLOAT, HALF})
    for (const Machine machine : {Machine::Cpu, Machine::TwoIpuModel}) {
      SCOPED_TRACE(machineName(machine) + ", " + type.toString().cloneAsString());
      std::mt19937 random(5);
      const Values x = randomValues(random, type, elementsOf(l.shape()), -2, 3),
                   dy = randomValues(random, type, x.size()),
                   gamma = randomValues(random, type, l.channels, 0.5, 2),
                   beta = randomValues(random, type, l.channels);
      OperationRun run(machine);
      const Tensor acts = run.input(type, l.shape(), x), grads = run.input(type, l.shape(), dy, 2);
      const auto [g, b] = popnn::createNormParams(run.graph, acts);
      ASSERT_EQ(g.shape(), Shape{l.channels});
      run.initialise(g, gamma);
      run.initialise(b, beta);
      const auto s = norm.statistics(run.graph, acts, run.prog, false, false);
      const auto [y, white] = norm.normalise(run.graph, acts, g, b, s, run.prog);
      const auto params = norm.paramGradients(run.graph, acts, grads, s, run.prog);
      const Tensor back = norm.gradients(run.graph, acts, grads, s, g, run.prog);
      ASSERT_EQ(y.shape(), l.shape());
      ASSERT_EQ(back.shape(), l.shape());
      ASSERT_EQ(s.first.elementType(), type);
      const auto mean = run.output(s.first), invStdDev = run.output(s.second), out = run.output(y),
                 whiteOut = run.output(white), dGamma = run.output(params.first),
                 dBeta = run.output(params.second), dx = run.output(back);
      run.run();

      const Statistics expected = statisticsOf(l, x, false);
      const Values w = whitened(l, x, expected);
      Values expectedGamma(l.channels), expectedBeta(l.channels);
      for (std::size_t i = 0; i != x.size(); ++i) {
        expectedGamma[l.channelOf(i)] += w[i] * dy[i];
        expectedBeta[l.channelOf(i)] += dy[i];
      }
      const double relative = type == HALF ? 0.02 : 1e-4, absolute = type == HALF ? 0.02 : 1e-5;
      EXPECT_TRUE(areClose(run.read(mean), expected.mean, relative, absolute));
      EXPECT_TRUE(areClose(run.read(invStdDev), expected.invStdDev, relative, absolute));
      EXPECT_TRUE(areClose(run.read(whiteOut), w, relative, absolute));
      EXPECT_TRUE(areClose(run.read(out), normalised(l, w, gamma, beta), relative, absolute));
      EXPECT_TRUE(areClose(run.read(dGamma), expectedGamma, relative, absolute));
      EXPECT_TRUE(areClose(run.read(dBeta), expectedBeta, relative, absolute));
      EXPECT_TRUE(areClose(run.read(dx), derivative(l, x, gamma, dy), relative, absolute));
    }
}

TEST_P(NormsTest, VarianceMayBeStableOrWithoutBias) {
  const Norm &norm = GetParam();
  const Layer &l = norm.layer;
  std::mt19937 random(6);
  Values x = randomValues(random, FLOAT, elementsOf(l.shape()), 99, 101);
  OperationRun run(Machine::Model);
  const Tensor acts = run.input(FLOAT, l.shape(), x);
  std::vector<std::string> outputs;
  for (const bool unbiased : {false, true})
    for (const bool stable : {false, true})
      outputs.push_back(
          run.output(norm.statistics(run.graph, acts, run.prog, unbiased, stable).second));
  run.run();
  for (unsigned i = 0; i != 4; ++i) // for numbers far from 0, the plain sum of squares loses digits
    EXPECT_TRUE(areClose(run.read(outputs[i]), statisticsOf(l, x, i >= 2).invStdDev,
                         i % 2 == 1 ? 1e-4 : 2e-2))
        << i;
}

INSTANTIATE_TEST_SUITE_P(Kinds, NormsTest, ::testing::ValuesIn(norms()),
                         [](const auto &p) { return p.param.name; });

TEST(NormParams, AreUpdatedByScaledDeltas) {
  OperationRun run(Machine::Model);
  Tensor gamma = run.input(FLOAT, {3}, {1, 2, 3}), beta = run.input(FLOAT, {3}, {0, 0, 1});
  const Tensor dGamma = run.input(FLOAT, {3}, {1, 1, 2}), dBeta = run.input(FLOAT, {3}, {4, 0, 0});
  popnn::bn::batchNormParamUpdate(run.graph, dGamma, dBeta, -0.5f, gamma, beta, run.prog);
  popnn::ln::layerNormParamUpdate(run.graph, dGamma, dBeta, run.input(FLOAT, {1}, {1}), gamma, beta,
                                  run.prog);
  run.output("gamma", gamma);
  run.output("beta", beta);
  run.run();
  EXPECT_EQ(run.read("gamma"), (Values{1.5, 2.5, 4}));
  EXPECT_EQ(run.read("beta"), (Values{2, 0, 1}));
}

TEST(BatchNormInference, IsOneMultiplicationAndOneAddition) {
  OperationRun run(Machine::Model);
  const Tensor y = popnn::bn::batchNormalise(
      run.graph, run.input(FLOAT, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
      run.input(FLOAT, {2}, {10, 100}), run.input(FLOAT, {2}, {1, 2}), run.prog);
  run.output("y", y);
  run.run();
  EXPECT_EQ(run.read("y"), (Values{11, 21, 302, 402, 51, 61, 702, 802}));
}

TEST(DistributedBatchNorm, AsksForSumsOverTheReplicasOfABatch) {
  OperationRun run(Machine::Model);
  const Tensor acts = run.input(FLOAT, {2, 1, 2}, {1, 2, 3, 6});
  std::vector<unsigned> sizes;
  const auto doubled = [&](poplar::Graph &graph, const std::vector<Tensor> &sums,
                           poplar::program::Sequence &prog, unsigned groupSize,
                           const poplar::DebugContext &, const poplar::OptionFlags &) {
    sizes.push_back(groupSize);
    std::vector<Tensor> results; // as if the other replica had the same values
    for (const Tensor &t : sums)
      results.push_back(popops::add(graph, t, t, prog));
    return results;
  };
  const auto all =
      popnn::bn::distributedBatchNormStatistics(run.graph, acts, kEps, run.prog, false, doubled, 4);
  const auto own =
      popnn::bn::distributedBatchNormStatistics(run.graph, acts, kEps, run.prog, false, doubled, 2);
  run.output("all", all.second);
  run.output("own", own.second);
  run.run();
  EXPECT_EQ(sizes, std::vector<unsigned>{2});
  EXPECT_TRUE(areClose(run.read("all"), {1 / std::sqrt(3.5 + kEps)}, 1e-5));
  EXPECT_EQ(run.read("own"), run.read("all"));
  EXPECT_THROW(
      popnn::bn::distributedBatchNormStatistics(run.graph, acts, kEps, run.prog, false, doubled, 3),
      poputil::poplibs_error);
}

TEST(NormsOfNothing, HaveNoStatisticsAndChangeNothing) {
  for (const Shape &shape : {Shape{1, 0, 3}, Shape{0, 4, 2}, Shape{2, 4, 0}}) {
    OperationRun run(Machine::Model);
    const Tensor acts = run.graph.addVariable(FLOAT, shape);
    const auto expectNone = [&](const std::pair<Tensor, Tensor> &statistics) {
      EXPECT_EQ(statistics.first.shape(), Shape{0});
      EXPECT_EQ(statistics.second.shape(), Shape{0});
    };
    expectNone(popnn::in::instanceNormStatistics(run.graph, acts, kEps, run.prog, false, false));
    expectNone(popnn::ln::layerNormStatistics(run.graph, acts, kEps, run.prog, false));
    const auto group = popnn::gn::groupNormStatistics(run.graph, acts, kEps, run.prog, 1, false);
    const auto batch = popnn::bn::batchNormStatistics(run.graph, acts, kEps, run.prog, false);
    expectNone(group);
    expectNone(batch);
    const Tensor gamma = run.variable(FLOAT, {shape[1]});
    const auto y = popnn::gn::groupNormalise(run.graph, acts, gamma, gamma, group.first,
                                             group.second, run.prog);
    EXPECT_EQ(y.first.shape(), shape);
    EXPECT_EQ(popnn::bn::batchNormalise(run.graph, acts, gamma, gamma, batch.first, batch.second,
                                        run.prog)
                  .first.shape(),
              shape);
    EXPECT_EQ(
        popnn::gn::groupNormGradients(run.graph, y.second, acts, group.second, gamma, run.prog)
            .shape(),
        shape);
    const auto deltas = popnn::gn::groupNormParamGradients(run.graph, y.second, acts, run.prog);
    EXPECT_EQ(deltas.first.shape(), Shape{shape[1]});
    if (shape[1] == 0)
      continue;
    run.output("gamma", deltas.first);
    run.output("beta", deltas.second);
    run.run();
    EXPECT_EQ(run.read("gamma"), Values(shape[1], 0));
    EXPECT_EQ(run.read("beta"), Values(shape[1], 0));
  }
}

TEST(NormErrors, NameTheReason) {
  OperationRun run(Machine::Model);
  const Tensor acts = run.variable(FLOAT, {2, 6, 3});
  const auto message = [](const auto &call) {
    try {
      call();
    } catch (const std::exception &e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(
      message([&] { popnn::gn::groupNormStatistics(run.graph, acts, kEps, run.prog, 4, false); }),
      "groupNormStatistics: 6 channels do not divide by 4 groups");
  EXPECT_EQ(message([&] {
              popnn::bn::batchNormStatistics(run.graph, acts.flatten(), kEps, run.prog, false);
            }),
            "normStatistics: activations of shape {36} have no dimension of channels");
  EXPECT_EQ(message([&] {
              const Tensor wrong = run.variable(FLOAT, {5});
              popnn::bn::batchNormWhiten(run.graph, acts, wrong, wrong, run.prog);
            }),
            "normWhiten: the mean must have shape {6}, not {5}");
  EXPECT_THAT(message([&] {
                popnn::gn::groupNormStatistics(run.graph, acts, kEps, run.prog, 3, false, false,
                                               FLOAT, {}, {{"stridedGroups", "true"}});
              }),
              ::testing::StartsWith("groupNormStatistics: Unrecognised option 'stridedGroups'"));
}

} // namespace
} // namespace copse::test
