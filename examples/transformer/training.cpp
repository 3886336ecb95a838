#include "training.hpp"

#include "checkpoint.hpp"
#include "digest.hpp"
#include "excerpts.hpp"
#include "learning_rate.hpp"
#include "machine.hpp"
#include "row_feeder.hpp"
#include "sampling.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>
#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>
#include <poplin/codelets.hpp>
#include <popnn/codelets.hpp>
#include <popops/codelets.hpp>
#include <poprand/codelets.hpp>
#include <stdexcept>
#include <thread>

namespace transformer {

using namespace poplar;

namespace {

/// Longest wait for lost IPUs to come back.
constexpr std::chrono::seconds kTimeout{60};

/// The beginning of what the model writes.
constexpr char kBeginning[] = "\n\n## ";

/// One training: the host's side of the program.
class Session {
public:
  Session(const Text &text, const Options &options)
      : options_(options),
        excerpts_(text, options.model.shape, options.replicas, options.model.seed),
        rate_{options.rate, std::min(options.steps / 10, 100u), options.steps},
        device_(attachedDevice(options.device, options.replicas * options.model.stages)),
        graph_(device_, replication_factor(options.replicas)), model_(buildModel()),
        engine_(graph_, model_.programs(),
                {{"exchange.enablePrefetch", "true"},
                 {"exchange.streamBufferOverlap", "hostRearrangeOnly"}}),
        checkpoint_(engine_, options_), sampler_(engine_, text, options_) {}

  Results run(const Progress &progress) {
    begin();
    results_.firstStep = stepsDone_;
    if (stepsDone_ != 0)
      progress.resumed(stepsDone_);
    const auto start = std::chrono::steady_clock::now();
    trainThroughFailures(progress);
    results_.wallSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    summarise();
    results_.sample = sampler_.write(kBeginning, options_.sample);
    if (options_.checkpoint)
      checkpoint_.clear();
    return results_;
  }

private:
  Model buildModel() {
    popops::addCodelets(graph_);
    poplin::addCodelets(graph_);
    popnn::addCodelets(graph_);
    poprand::addCodelets(graph_);
    return Model(graph_, options_.model);
  }

  /// Loads the program, with the last checkpoint if there is one.
  void begin() {
    engine_.load(device_);
    stepsDone_ = options_.checkpoint ? checkpoint_.restore() : 0;
    if (stepsDone_ == 0)
      engine_.run(kReset);
    connect();
  }

  void connect() {
    const std::uint64_t microBatches = options_.model.microBatches;
    for (unsigned r = 0; r != options_.replicas; ++r) {
      const auto feed = [&](const char *stream, FillRow fill, std::uint64_t first) {
        engine_.connectStreamToCallback(stream, r, makeRowFeeder(std::move(fill), first));
      };
      feed(
          kCharactersStream,
          [this, r](std::uint64_t number, void *row) {
            excerpts_.fillCharacters(number, r, static_cast<std::uint32_t *>(row));
          },
          stepsDone_ * microBatches);
      feed(
          kLabelsStream,
          [this, r](std::uint64_t number, void *row) {
            excerpts_.fillLabels(number, r, static_cast<std::uint32_t *>(row));
          },
          stepsDone_ * microBatches);
      feed(
          kRateStream,
          [this](std::uint64_t step, void *row) {
            const Adam::Options adam;
            *static_cast<float *>(row) = rate_.forAdam(step, static_cast<double>(adam.firstDecay),
                                                       static_cast<double>(adam.secondDecay));
          },
          stepsDone_);
      engine_.connectStreamToCallback(kLossStream, r, [this](void *row) { addLoss(row); });
    }
  }

  void addLoss(const void *row) {
    float loss = 0;
    std::memcpy(&loss, row, sizeof loss);
    // Replicas come in any order; whole units of 2^-16 add up to the same sum in every order.
    lossSum_ += std::nearbyint(static_cast<double>(loss) * 65536.0) / 65536.0;
  }

  void trainThroughFailures(const Progress &progress) {
    for (;;) {
      try {
        return trainToEnd(progress);
      } catch (const recoverable_runtime_error &error) {
        if (!options_.checkpoint)
          throw;
        progress.failed(error.what());
        recover();
        progress.resumed(stepsDone_);
      }
    }
  }

  void trainToEnd(const Progress &progress) {
    const unsigned steps = options_.model.stepsPerRun;
    while (stepsDone_ != options_.steps) {
      lossSum_ = 0;
      engine_.run(kTrain);
      results_.modelledCycles += cycles();
      results_.losses.push_back(lossSum_ /
                                (static_cast<double>(options_.model.shape.rows()) *
                                 options_.model.microBatches * options_.replicas * steps));
      if (options_.checkpoint)
        checkpoint_.save(stepsDone_ + steps);
      stepsDone_ += steps;
      progress.done(stepsDone_, results_.losses.back());
    }
  }

  /// Begins again, as soon as all IPUs are there.
  void recover() {
    const auto deadline = std::chrono::steady_clock::now() + kTimeout;
    for (;;) {
      try {
        begin();
        break;
      } catch (const recoverable_runtime_error &) {
        if (std::chrono::steady_clock::now() > deadline)
          throw;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
      }
    }
    ++results_.recoveries;
    results_.losses.resize((stepsDone_ - results_.firstStep) / options_.model.stepsPerRun);
  }

  std::uint64_t cycles() {
    std::vector<std::uint64_t> counts(options_.replicas);
    engine_.readTensor(kCyclesHandle, counts.data(), counts.data() + counts.size());
    return *std::max_element(counts.begin(), counts.end());
  }

  void summarise() {
    const double steps = stepsDone_ - results_.firstStep;
    const double modelledSeconds =
        static_cast<double>(results_.modelledCycles) / device_.getTarget().getTileClockFrequency();
    results_.stepsPerSecond = steps / results_.wallSeconds;
    results_.modelledStepsPerSecond = modelledSeconds > 0 ? steps / modelledSeconds : 0;
    const auto counts = model_.parameterCounts();
    results_.parameters = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    results_.parametersSha256 = parametersDigest(engine_, counts, options_.replicas);
  }

  Options options_;
  Excerpts excerpts_;
  LearningRate rate_;
  Device device_;
  Graph graph_;
  Model model_;
  Engine engine_;
  Checkpoint checkpoint_;
  Sampler sampler_;
  Results results_;
  std::uint32_t stepsDone_ = 0;
  double lossSum_ = 0;
};

} // namespace

Results train(const Text &text, const Options &options, const Progress &progress) {
  return Session(text, options).run(progress);
}

} // namespace transformer
