// Claim: steps of examples/transformer --replicas 1 on one core against the same model in plain C++
// with OpenBLAS on one thread.
#include "excerpts.hpp"
#include "model.hpp"
#include "plain_transformer.hpp"

#include <benchmark/benchmark.h>

#include <cblas.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

namespace {

using namespace transformer;
using copse::bench::PlainTransformer;

constexpr unsigned kSteps = 5;       // steps per Engine::run
constexpr float kRate = 0.001f;      // learning rate
constexpr std::size_t kLetters = 90; // size of the alphabet; the documents' text has as many

Text someText() {
  std::string letters;
  for (unsigned i = 0; i != 100000; ++i)
    letters += static_cast<char>(' ' + (i * (i / 7 + 3) + i / 50) % kLetters);
  return Text(letters);
}

ModelOptions modelOptions(const Text &text, double dropout) {
  ModelOptions options;
  options.shape.alphabet = text.alphabetSize();
  options.shape.dropout = dropout;
  options.stepsPerRun = kSteps;
  return options;
}

/// The model on an IPU within this process.
class EmulatedModel {
public:
  EmulatedModel(const ModelOptions &options, const Excerpts &excerpts)
      : device_(poplar::IPUModel().createDevice()), graph_(device_), model_(graph_, options),
        engine_(graph_, model_.programs()) {
    engine_.connectStreamToCallback(kCharactersStream, [this, &excerpts](void *row) {
      excerpts.fillCharacters(characters_++, 0, static_cast<std::uint32_t *>(row));
    });
    engine_.connectStreamToCallback(kLabelsStream, [this, &excerpts](void *row) {
      excerpts.fillLabels(labels_++, 0, static_cast<std::uint32_t *>(row));
    });
    engine_.connectStreamToCallback(kRateStream,
                                    [](void *row) { std::memcpy(row, &kRate, sizeof kRate); });
    engine_.connectStreamToCallback(kLossStream, [this](void *row) {
      float loss = 0;
      std::memcpy(&loss, row, sizeof loss);
      losses_.push_back(static_cast<double>(loss));
    });
    engine_.load(device_);
    engine_.run(kReset);
  }

  void steps() { engine_.run(kTrain); }
  const std::vector<double> &losses() const { return losses_; }
  std::vector<float> values() {
    std::vector<float> all(model_.parameterCounts().front());
    engine_.readTensor(valuesHandle(0), all.data(), all.data() + all.size());
    return all;
  }

private:
  poplar::Device device_;
  poplar::Graph graph_;
  Model model_;
  poplar::Engine engine_;
  std::uint64_t characters_ = 0, labels_ = 0; // micro-batches
  std::vector<double> losses_;
};

/// kSteps steps. \returns the sum of the rows' losses for each
std::vector<double> plainSteps(PlainTransformer &model, const ModelOptions &options,
                               const Excerpts &excerpts) {
  std::vector<std::uint32_t> characters(options.shape.rows() + 2), labels(options.shape.rows());
  std::vector<double> losses;
  std::uint64_t microBatch = 0;
  for (unsigned step = 0; step != kSteps; ++step) {
    losses.push_back(0);
    model.beginStep();
    for (unsigned m = 0; m != options.microBatches; ++m, ++microBatch) {
      excerpts.fillCharacters(microBatch, 0, characters.data());
      excerpts.fillLabels(microBatch, 0, labels.data());
      losses.back() += model.addMicroBatch(characters.data(), labels.data());
    }
    model.update(kRate);
  }
  return losses;
}

/// Whether both are one model: the losses of some steps of learning, without dropout.
bool agree(const Text &text) {
  const ModelOptions options = modelOptions(text, 0);
  const Excerpts excerpts(text, options.shape, 1, 1);
  EmulatedModel emulated(options, excerpts);
  PlainTransformer plain(options.shape, options.microBatches, emulated.values());
  emulated.steps();
  const auto losses = plainSteps(plain, options, excerpts);
  for (unsigned step = 0; step != kSteps; ++step)
    if (std::abs(emulated.losses()[step] / losses[step] - 1) > 1e-4) {
      std::fprintf(stderr, "step %u has a loss of %f, and not %f as in plain C++\n", step,
                   emulated.losses()[step], losses[step]);
      return false;
    }
  return losses.back() < losses.front();
}

void subject(benchmark::State &state) {
  const Text text = someText();
  static const bool sameModel = agree(text);
  if (!sameModel)
    return state.SkipWithError("the two are not the same model");
  const ModelOptions options = modelOptions(text, Shape().dropout);
  const Excerpts excerpts(text, options.shape, 1, 1);
  EmulatedModel model(options, excerpts);
  model.steps();
  for (auto _ : state)
    model.steps();
}

void reference(benchmark::State &state) {
  const Text text = someText();
  const ModelOptions options = modelOptions(text, Shape().dropout);
  const Excerpts excerpts(text, options.shape, 1, 1);
  PlainTransformer model(options.shape, options.microBatches,
                         EmulatedModel(options, excerpts).values());
  plainSteps(model, options, excerpts);
  for (auto _ : state)
    benchmark::DoNotOptimize(plainSteps(model, options, excerpts));
}

} // namespace

int main(int argc, char **argv) {
  ::setenv("COPSE_THREADS", "1", 1);
  openblas_set_num_threads(1);
  benchmark::Initialize(&argc, argv);
  for (auto *const timed : {benchmark::RegisterBenchmark("transformer_steps/subject", subject),
                            benchmark::RegisterBenchmark("transformer_steps/reference", reference)})
    timed->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
