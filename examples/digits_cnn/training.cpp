#include "training.hpp"

#include "../digits/batches.hpp"
#include "../digits/device.hpp"
#include "../digits/predictions.hpp"
#include "../digits/weights_hash.hpp"
#include "network.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <popops/Zero.hpp>
#include <stdexcept>

namespace digits_cnn {

using namespace poplar;
using namespace poplar::program;
using digits::BatchPlan;
using digits::RowKind;

namespace {

constexpr const char *kLoss = "loss", *kCycles = "cycles", *kParameters = "parameters";

NetworkOptions networkOptions(const Options &options) {
  NetworkOptions network;
  network.batch = options.batch;
  network.accumulate = options.accumulate;
  network.seed = options.seed;
  return network;
}

/// One training: the host's side of the programs.
class Session {
public:
  Session(const digits::Dataset &dataset, const Options &options)
      : dataset_(dataset), options_(options),
        trainPlan_(dataset.train.size(), options.batch, options.replicas, true, options.seed),
        testPlan_(dataset.test.size(), options.batch, options.replicas, false, options.seed),
        steps_(trainPlan_.stepsPerEpoch() / options.accumulate),
        device_(digits::openDevice(options.device, options.topology, options.replicas)),
        graph_(device_, replication_factor(options.replicas)),
        network_(graph_, networkOptions(options)),
        predictions_(dataset.test, testPlan_, options.batch, options.replicas) {
    if (steps_ == 0)
      throw std::runtime_error("a step of " + std::to_string(imagesPerStep()) +
                               " images is more than the " + std::to_string(dataset.train.size()) +
                               " training images");
  }

  digits::Results run(const digits::Progress &progress) {
    Engine engine(graph_, {network_.initialise(), trainEpoch(), test()},
                  {{"exchange.enablePrefetch", "true"},
                   {"exchange.streamBufferOverlap", "hostRearrangeOnly"}});
    connect(engine);
    engine.load(device_);
    engine.run(kInitialise);
    const auto start = std::chrono::steady_clock::now();
    digits::Results results;
    for (unsigned epoch = 0; epoch < options_.epochs; ++epoch) {
      engine.run(kTrainEpoch);
      results.modelledCycles += cyclesOf(engine);
      results.lossPerEpoch.push_back(lossOf(engine));
      progress.done(epoch, results.lossPerEpoch.back());
    }
    engine.run(kTest);
    results.wallSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    results.finalLoss = results.lossPerEpoch.back();
    results.accuracy = double(predictions_.correct()) / double(dataset_.test.size());
    results.modelledImagesPerSecond =
        double(options_.epochs) * imagesPerEpoch() /
        (double(results.modelledCycles) / device_.getTarget().getTileClockFrequency());
    results.weightsSha256 = hashOfWeights(engine);
    results.ipudProcesses = digits::countProcesses(device_);
    return results;
  }

private:
  enum ProgramIndex : unsigned { kInitialise, kTrainEpoch, kTest };

  unsigned imagesPerStep() const {
    return options_.batch * options_.accumulate * options_.replicas;
  }
  double imagesPerEpoch() const { return double(steps_) * imagesPerStep(); }

  Program trainEpoch() {
    Sequence epoch;
    popops::zero(graph_, network_.lossSum(), epoch);
    epoch.add(Repeat(steps_, network_.trainStep()));
    graph_.createHostRead(kLoss, network_.lossSum());
    graph_.createHostRead(kCycles, cycleCount(graph_, epoch, 0, SyncType::EXTERNAL, "cycles"));
    std::vector<Tensor> flat;
    for (const Tensor &each : network_.parameters())
      flat.push_back(each.flatten());
    const Tensor all = concat(flat);
    graph_.createHostRead(kParameters, all);
    parameterCount_ = all.numElements();
    return std::move(epoch);
  }
  Program test() { return Repeat(testPlan_.stepsPerEpoch(), network_.predict()); }

  void connect(Engine &engine) {
    for (unsigned r = 0; r < options_.replicas; ++r) {
      const auto feed = [&](const char *stream, RowKind kind,
                            const std::vector<digits::Image> &images, const BatchPlan &plan) {
        engine.connectStreamToCallback(
            stream, r, digits::makeBatchFeeder(kind, images, plan, options_.batch, r));
      };
      feed(kImagesStream, RowKind::Images, dataset_.train, trainPlan_);
      feed(kLabelsStream, RowKind::Labels, dataset_.train, trainPlan_);
      feed(kTestImagesStream, RowKind::Images, dataset_.test, testPlan_);
      engine.connectStreamToCallback(kPredictionsStream, r,
                                     [this, r](void *row) { predictions_.take(r, row); });
    }
  }

  std::uint64_t cyclesOf(Engine &engine) const {
    std::vector<std::uint64_t> cycles(options_.replicas);
    engine.readTensor(kCycles, cycles.data(), cycles.data() + cycles.size());
    return *std::max_element(cycles.begin(), cycles.end());
  }
  double lossOf(Engine &engine) const {
    std::vector<float> sums(options_.replicas);
    engine.readTensor(kLoss, sums.data(), sums.data() + sums.size());
    return std::accumulate(sums.begin(), sums.end(), 0.0) / imagesPerEpoch();
  }
  std::string hashOfWeights(Engine &engine) const {
    std::vector<float> weights(parameterCount_ * options_.replicas);
    engine.readTensor(kParameters, weights.data(), weights.data() + weights.size());
    return digits::hashOfWeights(weights, options_.replicas);
  }

  const digits::Dataset &dataset_;
  Options options_;
  BatchPlan trainPlan_, testPlan_;
  unsigned steps_; ///< steps per epoch
  Device device_;
  Graph graph_;
  Network network_;
  digits::Predictions predictions_;
  std::size_t parameterCount_ = 0; ///< once the programs are made
};

} // namespace

digits::Results train(const digits::Dataset &dataset, const Options &options,
                      const digits::Progress &progress) {
  return Session(dataset, options).run(progress);
}

} // namespace digits_cnn
