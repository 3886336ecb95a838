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
#include <popdist/popdist_poplar.hpp>
#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>
#include <stdexcept>
#include <thread>

namespace digits {

using namespace poplar;

namespace {

/// Longest wait for lost IPUs to come back.
constexpr std::chrono::seconds kTimeout{60};

/// Returns the target of all replicas: the target of \p device, with an IPU for each replica.
Target targetOfAll(const Device &device, unsigned replicas) {
  const Target &own = device.getTarget();
  if (own.getNumIPUs() == replicas)
    return own;
  const bool torus = own.getIpuLinkTopology() == IpuLinkTopology::Torus;
  return Target::createIPUTarget(replicas, own.getTargetArchString(),
                                 {{"ipuLinkTopology", torus ? "torus" : "mesh"}});
}

/// One training run: the host's side of the program.
class Session {
public:
  Session(const Dataset &dataset, const Options &options, const Instances &instances)
      : dataset_(dataset), options_(options), instances_(instances),
        trainPlan_(dataset.train.size(), options.batch, options.replicas, true, options.seed),
        testPlan_(dataset.test.size(), options.batch, options.replicas, false, options.seed),
        device_(openDevice(options.device, options.topology, instances.ownReplicas(),
                           instances.device())) {
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
    // The graph has all replicas; the device has the IPUs of this instance's share.
    Graph graph(targetOfAll(device_, options_.replicas), replication_factor(options_.replicas));
    const auto programs = buildNetwork(graph, network_, options_.data + "/codelets.cpp");
    OptionFlags flags{{"exchange.enablePrefetch", "true"},
                      {"exchange.streamBufferOverlap", "hostRearrangeOnly"}};
    for (const auto &[name, value] : popdist::getEngineOptions())
      flags.set(name, value);
    Engine engine(graph, programs, flags);
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
    results_.accuracy =
        instances_.sum(double(predictions_->correct())) / double(dataset_.test.size());
    const double seconds =
        double(results_.modelledCycles) / device_.getTarget().getTileClockFrequency();
    if (seconds > 0)
      results_.modelledImagesPerSecond =
          double(results_.lossPerEpoch.size()) * imagesPerEpoch() / seconds;
    results_.weightsSha256 = hashWeights(engine);
    if (!instances_.agreeOn(results_.weightsSha256))
      throw std::runtime_error("an instance has other weights than the others");
    results_.ipudProcesses = countProcesses(device_);
    const Target &target = device_.getTarget();
    if (target.getTargetType() == TargetType::IPU && results_.ipudProcesses == 0)
      results_.clusterIpus = options_.replicas;
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
    const auto deadline = std::chrono::steady_clock::now() + kTimeout;
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
      results_.modelledCycles += instances_.largest(cyclesOf(engine));
      results_.finalLoss = instances_.sum(lossSum_) / imagesPerEpoch();
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
    const unsigned firstReplica = instances_.firstReplica();
    for (unsigned r = 0; r < instances_.ownReplicas(); ++r) { // the engine counts its own
      const auto feed = [&](const char *stream, RowKind kind, const std::vector<Image> &images,
                            const BatchPlan &plan, std::uint64_t first) {
        engine.connectStreamToCallback(
            stream, r,
            makeBatchFeeder(kind, images, plan, options_.batch, firstReplica + r, first));
      };
      feed(kImagesStream, RowKind::Images, dataset_.train, trainPlan_, firstStep);
      feed(kLabelsStream, RowKind::Labels, dataset_.train, trainPlan_, firstStep);
      feed(kTestImagesStream, RowKind::Images, dataset_.test, testPlan_, 0);
      engine.connectStreamToCallback(kLossStream, r, [this](void *row) { addLoss(row); });
      engine.connectStreamToCallback(
          kPredictionsStream, r,
          [this, replica = firstReplica + r](void *row) { predictions_->take(replica, row); });
    }
  }

  void clearMomentum(Engine &engine) const {
    const std::vector<float> zeros(parameterCount(network_), 0.0f);
    for (unsigned r = 0; r < instances_.ownReplicas(); ++r)
      engine.copyToRemoteBuffer(zeros.data(), kMomentumBuffer, 0, r);
  }

  void addLoss(const void *row) {
    float loss = 0;
    std::memcpy(&loss, row, sizeof loss);
    // Replicas come in any order; whole units of 2^-24 add up to the same sum in every order.
    lossSum_ += std::nearbyint(double(loss) * 16777216.0) / 16777216.0;
  }

  std::uint64_t cyclesOf(Engine &engine) const {
    std::vector<std::uint64_t> cycles(instances_.ownReplicas());
    engine.readTensor(kCyclesHandle, cycles.data(), cycles.data() + cycles.size());
    return *std::max_element(cycles.begin(), cycles.end());
  }

  std::string hashWeights(Engine &engine) const {
    std::vector<float> weights(std::size_t{parameterCount(network_)} * instances_.ownReplicas());
    engine.readTensor(kWeightsHandle, weights.data(), weights.data() + weights.size());
    return hashOfWeights(weights, instances_.ownReplicas());
  }

  const Dataset &dataset_;
  Options options_;
  const Instances &instances_;
  NetworkOptions network_;
  BatchPlan trainPlan_, testPlan_;
  Device device_;
  Results results_;
  std::uint32_t epochsDone_ = 0;
  double lossSum_ = 0;
  std::optional<Predictions> predictions_; ///< predictions of the last run since the load
};

} // namespace

Results train(const Dataset &dataset, const Options &options, const Instances &instances,
              const Progress &progress) {
  return Session(dataset, options, instances).run(progress);
}

} // namespace digits
