#include "training.hpp"

#include "batches.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <openssl/evp.h>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <stdexcept>

namespace digits {

using namespace poplar;

namespace {

Device attachIpus(const Options &options) {
  DeviceManager manager = DeviceManager::createDeviceManager();
  auto devices = manager.getDevices(TargetType::IPU, options.replicas,
                                    {{"ipuLinkTopology", options.topology}});
  for (Device &device : devices)
    if (device.attach())
      return std::move(device);
  throw std::runtime_error(
      "--replicas " + std::to_string(options.replicas) + ": this machine has " +
      (devices.empty() ? "no such group of IPUs" : "no such group of IPUs free") +
      "; it has 1, or an even number up to all of them");
}

Device makeDevice(const Options &options) {
  if (options.device == "ipu")
    return attachIpus(options);
  Device device;
  if (options.device == "cpu") {
    device = Device::createCPUDevice(options.replicas);
  } else {
    IPUModel model;
    model.numIPUs = options.replicas;
    device = model.createDevice({{"ipuLinkTopology", options.topology}});
  }
  device.attach();
  return device;
}

std::string sha256(const void *data, std::size_t bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (EVP_Digest(data, bytes, digest, &length, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available");
  static const char kHex[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    text += kHex[digest[i] >> 4];
    text += kHex[digest[i] & 15];
  }
  return text;
}

/// Our ipud processes, as the device tells; none on other devices.
unsigned countProcesses(const Device &device) {
  const auto attributes = device.getAttributes();
  const auto pids = attributes.find("ipud.pids");
  if (pids == attributes.end() || pids->second.empty())
    return 0;
  return 1 + static_cast<unsigned>(std::count(pids->second.begin(), pids->second.end(), ','));
}

/// One training run: the host's side of the program.
class Session {
public:
  Session(const Dataset &dataset, const Options &options)
      : dataset_(dataset), options_(options),
        trainPlan_(dataset.train.size(), options.batch, options.replicas, true, options.seed),
        testPlan_(dataset.test.size(), options.batch, options.replicas, false, options.seed),
        device_(makeDevice(options)) {
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
    Graph graph(device_, replication_factor(options_.replicas));
    const auto programs = buildNetwork(graph, network_, options_.data + "/codelets.cpp");
    Engine engine(graph, programs,
                  {{"exchange.enablePrefetch", "true"},
                   {"exchange.streamBufferOverlap", "hostRearrangeOnly"}});
    engine.load(device_);
    connect(engine);
    clearMomentum(engine);

    Results results;
    const auto start = std::chrono::steady_clock::now();
    for (unsigned epoch = 0; epoch < options_.epochs; ++epoch) {
      lossSum_ = 0;
      engine.run(kTrainEpoch);
      const double images = double(network_.stepsPerEpoch) * options_.batch * options_.replicas;
      results.lossPerEpoch.push_back(lossSum_ / images);
      results.modelledCycles += cyclesOf(engine);
      progress(epoch, results.lossPerEpoch.back());
    }
    engine.run(kTest);
    results.wallSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    results.accuracy = double(correct_) / double(dataset_.test.size());
    const double seconds =
        double(results.modelledCycles) / device_.getTarget().getTileClockFrequency();
    results.modelledImagesPerSecond = double(options_.epochs) * network_.stepsPerEpoch *
                                      options_.batch * options_.replicas / seconds;
    results.weightsSha256 = hashWeights(engine);
    results.ipudProcesses = countProcesses(device_);
    return results;
  }

private:
  void connect(Engine &engine) {
    predictedRows_.assign(options_.replicas, 0);
    for (unsigned r = 0; r < options_.replicas; ++r) {
      const auto feed = [&](const char *stream, RowKind kind, const std::vector<Image> &images,
                            const BatchPlan &plan) {
        engine.connectStreamToCallback(stream, r,
                                       makeBatchFeeder(kind, images, plan, options_.batch, r));
      };
      feed(kImagesStream, RowKind::Images, dataset_.train, trainPlan_);
      feed(kLabelsStream, RowKind::Labels, dataset_.train, trainPlan_);
      feed(kTestImagesStream, RowKind::Images, dataset_.test, testPlan_);
      engine.connectStreamToCallback(kLossStream, r, [this](void *row) { addLoss(row); });
      engine.connectStreamToCallback(kPredictionsStream, r,
                                     [this, r](void *row) { takePredictions(r, row); });
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

  void takePredictions(unsigned replica, const void *row) {
    std::vector<std::int32_t> predicted(options_.batch);
    std::memcpy(predicted.data(), row, predicted.size() * sizeof(std::int32_t));
    const std::uint64_t step = predictedRows_[replica]++;
    for (unsigned b = 0; b < options_.batch; ++b) {
      const std::size_t image = testPlan_.imageOrPadding(step, replica, b);
      if (image < dataset_.test.size() && dataset_.test[image].label == predicted[b])
        ++correct_;
    }
  }

  std::uint64_t cyclesOf(Engine &engine) const {
    std::vector<std::uint64_t> cycles(options_.replicas);
    engine.readTensor(kCyclesHandle, cycles.data(), cycles.data() + cycles.size());
    return *std::max_element(cycles.begin(), cycles.end());
  }

  /// Reads the weights of all replicas, which must be the same to the last bit.
  std::string hashWeights(Engine &engine) const {
    const std::size_t count = parameterCount(network_);
    std::vector<float> weights(count * options_.replicas);
    engine.readTensor(kWeightsHandle, weights.data(), weights.data() + weights.size());
    for (unsigned r = 1; r < options_.replicas; ++r)
      if (std::memcmp(weights.data(), weights.data() + r * count, count * sizeof(float)) != 0)
        throw std::runtime_error("replica " + std::to_string(r) +
                                 " has other weights than replica 0");
    return sha256(weights.data(), count * sizeof(float));
  }

  const Dataset &dataset_;
  Options options_;
  NetworkOptions network_;
  BatchPlan trainPlan_, testPlan_;
  Device device_;
  double lossSum_ = 0;
  std::size_t correct_ = 0;
  std::vector<std::uint64_t> predictedRows_;
};

} // namespace

Results train(const Dataset &dataset, const Options &options, const Progress &progress) {
  return Session(dataset, options).run(progress);
}

} // namespace digits
