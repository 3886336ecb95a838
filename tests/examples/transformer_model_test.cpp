// Tests the model of examples/transformer: its gradients against differences of its loss, and the
// structure of its programs.
#include "transformer_model_run.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

namespace copse::test {
namespace {

using transformer::ModelOptions;
using transformer::Text;

Text tinyText() {
  std::string letters;
  for (int i = 0; i != 60; ++i)
    letters += "abc de"[(i * i + i / 7) % 6];
  return Text(letters);
}

ModelOptions tinyModel(unsigned stages, double dropout) {
  ModelOptions options;
  options.shape = {6, 5, 8, 2, 3, 2, dropout}; // alphabet, context, width, heads, blocks, batch
  options.stages = stages;
  options.tilesPerIpu = 3;
  options.microBatches = 5;
  options.stepsPerRun = 1;
  return options;
}

class TransformerGradients : public ::testing::TestWithParam<double> {};

TEST_P(TransformerGradients, AreTheSlopesOfTheLoss) {
  const Text text = tinyText();
  ModelRun run(tinyModel(1, GetParam()), text);
  run.step(0);
  const auto gradients = run.gradients();
  const auto values = run.values();
  ASSERT_EQ(gradients.size(), values.size());
  std::size_t slopes = 0;
  for (std::size_t i = 0; i < values.size(); i += 23) { // some of each tensor
    const auto difference = [&](float step) {
      const auto lossAt = [&](float value) {
        auto changed = values;
        changed[i] = value;
        run.setValues(changed);
        return run.step(0);
      };
      const float up = values[i] + step, down = values[i] - step;
      return (lossAt(up) - lossAt(down)) / static_cast<double>(up - down);
    };
    const double slope =
        (4 * difference(0.005f) - difference(0.01f)) / 3; // without the third power
    EXPECT_NEAR(static_cast<double>(gradients[i]), slope, 2e-4 + 0.01 * std::abs(slope))
        << "parameter " << i;
    slopes += std::abs(slope) > 2e-3;
  }
  EXPECT_GT(slopes, 50u); // most are no zeros
}
INSTANTIATE_TEST_SUITE_P(Dropout, TransformerGradients, ::testing::Values(0, 0.25),
                         [](const auto &p) { return p.param == 0 ? "Without" : "With"; });

struct PipelineCase {
  unsigned stages;
  double dropout;
};
class TransformerPipeline : public ::testing::TestWithParam<PipelineCase> {};

TEST_P(TransformerPipeline, GivesTheGradientsOfTheModelOnOneIpu) {
  const Text text = tinyText();
  ModelRun one(tinyModel(1, GetParam().dropout), text),
      several(tinyModel(GetParam().stages, GetParam().dropout), text);
  EXPECT_EQ(one.values(), several.values());
  EXPECT_EQ(one.step(0.01f), several.step(0.01f));
  EXPECT_EQ(one.gradients(), several.gradients());
  EXPECT_EQ(one.values(), several.values());
}
INSTANTIATE_TEST_SUITE_P(Stages, TransformerPipeline,
                         ::testing::Values(PipelineCase{2, 0}, PipelineCase{3, 0},
                                           PipelineCase{3, 0.25}),
                         [](const auto &p) {
                           return std::to_string(p.param.stages) +
                                  (p.param.dropout == 0 ? "" : "WithDropout");
                         });

TEST(TransformerPipelineLength, MayBeGreaterThanTheNumberOfMicroBatches) {
  const Text text = tinyText();
  auto options = tinyModel(1, 0);
  options.microBatches = 2;
  ModelRun one(options, text);
  options.stages = 3;
  ModelRun several(options, text);
  EXPECT_EQ(one.step(0), several.step(0));
  EXPECT_EQ(one.gradients(), several.gradients());
}

TEST(TransformerStep, LowersTheLossOfTheSameExcerpts) {
  const Text text = tinyText();
  ModelRun run(tinyModel(1, 0), text);
  const double first = run.step(0.01f);
  EXPECT_NEAR(first, std::log(6.0), 0.5); // knows nothing
  for (int i = 0; i != 60; ++i)
    run.step(0.01f);
  EXPECT_LT(run.step(0.01f), 0.5 * first);
}

TEST(TransformerStep, MovesEachParameterByTheRateAtFirst) {
  const Text text = tinyText();
  ModelRun run(tinyModel(1, 0), text);
  const auto before = run.values();
  // Adam's moments are (1 - 0.9) g and (1 - 0.99) g^2: the first update is rate * sign(g).
  run.step(0.01f * static_cast<float>(std::sqrt(1 - 0.99) / (1 - 0.9)));
  const auto after = run.values(), gradients = run.gradients();
  for (std::size_t i = 0; i != before.size(); ++i) {
    if (std::abs(gradients[i]) > 1e-4f) {
      ASSERT_NEAR(after[i] - before[i], gradients[i] > 0 ? -0.01f : 0.01f, 1e-4f);
    }
  }
}

TEST(TransformerPrediction, DependsOnThePastOnly) {
  const Text text = tinyText();
  for (const unsigned stages : {1u, 3u}) {
    ModelRun run(tinyModel(stages, 0.25), text);
    const auto probabilities = run.predict({1, 2, 3, 0, 0}, 2, 1);
    EXPECT_NEAR(std::accumulate(probabilities.begin(), probabilities.end(), 0.0f), 1, 1e-5f);
    EXPECT_EQ(run.predict({1, 2, 3, 5, 4}, 2, 1), probabilities);
    EXPECT_NE(run.predict({4, 2, 3, 0, 0}, 2, 1), probabilities);
    EXPECT_NE(run.predict({1, 2, 3, 0, 0}, 1, 1), probabilities);
  }
}

TEST(TransformerPrediction, IsSharperAtALowTemperature) {
  const Text text = tinyText();
  ModelRun run(tinyModel(1, 0), text);
  const auto largest = [&](float temperature) {
    const auto probabilities = run.predict({1, 2, 3, 0, 0}, 2, temperature);
    return *std::max_element(probabilities.begin(), probabilities.end());
  };
  EXPECT_GT(largest(0.1f), largest(1));
  EXPECT_GT(largest(1), largest(10));
}

} // namespace
} // namespace copse::test
