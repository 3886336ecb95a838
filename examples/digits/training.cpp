#include "training.hpp"

#include "batches.hpp"
#include "checkpoint.hpp"
#include "device.hpp"
#include "predictions.hpp"
#include "weights_hash.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>
#include <stdexcept>
#include <thread>

namespace digits {

using namespace poplar;

namespace {

/// Longest wait for lost IPUs to come back.
constexpr std::chrono::seconds kPatience{60};

/// One training run: the host's side of the program.
class Session {
public:
  Session(const Dataset &dataset, const Options &options)
      : dataset_(dataset), options_(options),
        trainPlan_(dataset.train.size(), options.batch, options.replicas, true, options.seed),
        testPlan_(dataset.test.size(), options.batch, options.replicas, false, options.seed),
        device_(openDevice(options.device, options.topology, options.replicas)) {
    if (trainPlan_.stepsPerEpoch() == 0)
      throw std::runtime_error("--batch " + std::to_string(options.batch) + " on " +
                               std::to_string(options.replicas) + " replicas is more than the " +
                               std::to_string(dataset.train.size()) + " training images");
    network_.batch = options.batch;
    network_.seed = options.seed;
    network_.stepsPerEpoch = trainPlan_.stepsPerEpoch();
    network_.testSteps = testPlan_.stepsPerEpoch();
  }

  Results run(const Progress &progress) {
    network_.checkpoint = options_.checkpoint;
    Graph graph(device_, replication_factor(options_.replicas));
    const auto programs = buildNetwork(graph, network_, options_.data + "/codelets.cpp");
    Engine engine(graph, programs,
                  {{"exchange.enablePrefetch", "true"},
                   {"exchange.streamBufferOverlap", "hostRearrangeOnly"}});
    Checkpoint checkpoint(engine, {options_.replicas, options_.batch, options_.seed});
    results_ = {};
    begin(engine, checkpoint);
    if ((results_.firstEpoch = epochsDone_) > 0)
      progress.resumed(epochsDone_);
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
      try {
        trainAndTest(engine, checkpoint, progress);
        break;
      } catch (const recoverable_runtime_error &error) {
        if (!options_.checkpoint)
          throw;
        progress.failed(error.what());
        recover(engine, checkpoint);
        progress.resumed(epochsDone_);
      }
    }
    results_.wallSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    results_.accuracy = double(predictions_->correct()) / double(dataset_.test.size());
    const double seconds =
        double(results_.modelledCycles) / device_.getTarget().getTileClockFrequency();
    if (seconds > 0)
      results_.modelledImagesPerSecond =
          double(results_.lossPerEpoch.size()) * imagesPerEpoch() / seconds;
    results_.weightsSha256 = hashWeights(engine);
    results_.ipudProcesses = countProcesses(device_);
    const Target &target = device_.getTarget();
    if (target.getTargetType() == TargetType::IPU && results_.ipudProcesses == 0)
      results_.clusterIpus = target.getNumIPUs();
    if (options_.checkpoint)
      checkpoint.clear();
    return results_;
  }

private:
  double imagesPerEpoch() const {
    return double(network_.stepsPerEpoch) * options_.batch * options_.replicas;
  }

  /// Loads the program, with the last checkpoint if there is one.
  void begin(Engine &engine, Checkpoint &checkpoint) {
    engine.load(device_);
    const auto kept = options_.checkpoint ? checkpoint.restore() : std::nullopt;
    epochsDone_ = kept ? kept->epochs : 0;
    if (kept)
      results_.finalLoss = kept->loss;
    else
      clearMomentum(engine);
    connect(engine);
  }

  /// Begins again, as soon as all IPUs are there.
  void recover(Engine &engine, Checkpoint &checkpoint) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      try {
        begin(engine, checkpoint);
        break;
      } catch (const recoverable_runtime_error &) {
        if (std::chrono::steady_clock::now() > deadline)
          throw;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
      }
    }
    ++results_.recoveries;
    results_.lossPerEpoch.resize(epochsDone_ - results_.firstEpoch); // an epoch is kept or repeated
  }

  void trainAndTest(Engine &engine, Checkpoint &checkpoint, const Progress &progress) {
    while (epochsDone_ < options_.epochs) {
      lossSum_ = 0;
      engine.run(kTrainEpoch);
      results_.modelledCycles += cyclesOf(engine);
      results_.finalLoss = lossSum_ / imagesPerEpoch();
      results_.lossPerEpoch.push_back(results_.finalLoss);
      if (options_.checkpoint)
        checkpoint.save({epochsDone_ + 1, results_.finalLoss});
      progress.done(epochsDone_++, results_.finalLoss);
    }
    engine.run(kTest);
  }

  void connect(Engine &engine) {
    predictions_.emplace(dataset_.test, testPlan_, options_.batch, options_.replicas);
    const std::uint64_t firstStep = std::uint64_t{epochsDone_} * network_.stepsPerEpoch;
    for (unsigned r = 0; r < options_.replicas; ++r) {
      const auto feed = [&](const char *stream, RowKind kind, const std::vector<Image> &images,
                            const BatchPlan &plan, std::uint64_t first) {
        engine.connectStreamToCallback(
            stream, r, makeBatchFeeder(kind, images, plan, options_.batch, r, first));
      };
      feed(kImagesStream, RowKind::Images, dataset_.train, trainPlan_, firstStep);
      feed(kLabelsStream, RowKind::Labels, dataset_.train, trainPlan_, firstStep);
      feed(kTestImagesStream, RowKind::Images, dataset_.test, testPlan_, 0);
      engine.connectStreamToCallback(kLossStream, r, [this](void *row) { addLoss(row); });
      engine.connectStreamToCallback(kPredictionsStream, r,
                                     [this, r](void *row) { predictions_->take(r, row); });
    }
  }

  void clearMomentum(Engine &engine) const {
    const std::vector<float> zeros(parameterCount(network_), 0.0f);
    for (unsigned r = 0; r < options_.replicas; ++r)
      engine.copyToRemoteBuffer(zeros.data(), kMomentumBuffer, 0, r);
  }

  void addLoss(const void *row) {
    float loss = 0;
    std::memcpy(&loss, row, sizeof loss);
    // Replicas come in any order; whole units of 2^-24 add up to the same sum in every order.
    lossSum_ += std::nearbyint(double(loss) * 16777216.0) / 16777216.0;
  }

  std::uint64_t cyclesOf(Engine &engine) const {
    std::vector<std::uint64_t> cycles(options_.replicas);
    engine.readTensor(kCyclesHandle, cycles.data(), cycles.data() + cycles.size());
    return *std::max_element(cycles.begin(), cycles.end());
  }

  std::string hashWeights(Engine &engine) const {
    std::vector<float> weights(std::size_t{parameterCount(network_)} * options_.replicas);
    engine.readTensor(kWeightsHandle, weights.data(), weights.data() + weights.size());
    return hashOfWeights(weights, options_.replicas);
  }

  const Dataset &dataset_;
  Options options_;
  NetworkOptions network_;
  BatchPlan trainPlan_, testPlan_;
  Device device_;
  Results results_;
  std::uint32_t epochsDone_ = 0;
  double lossSum_ = 0;
  std::optional<Predictions> predictions_; ///< of the run since the last load
};

} // namespace

Results train(const Dataset &dataset, const Options &options, const Progress &progress) {
  return Session(dataset, options).run(progress);
}

} // namespace digits
