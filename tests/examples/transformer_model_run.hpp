#pragma once

#include "excerpts.hpp"
#include "model.hpp"
#include "text.hpp"

#include <cstring>
#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplin/codelets.hpp>
#include <popnn/codelets.hpp>
#include <popops/codelets.hpp>
#include <poprand/codelets.hpp>
#include <vector>

namespace copse::test {

/// A model of examples/transformer on a CPU device. Each of its steps has the same micro-batches;
/// the learning rate may be 0.
class ModelRun {
public:
  ModelRun(const transformer::ModelOptions &options, const transformer::Text &text)
      : options_(options), excerpts_(text, options.shape, 1, options.seed),
        device_(poplar::Device::createCPUDevice(options.stages)), graph_(device_),
        model_(withCodelets(graph_), options), engine_(graph_, model_.programs()) {
    device_.attach();
    engine_.load(device_);
    engine_.run(transformer::kReset);
    connect();
  }

  /// Returns the values of all stages, one after another.
  std::vector<float> values() { return read(transformer::valuesHandle); }
  std::vector<float> gradients() { return read(transformer::gradientsHandle); }
  void setValues(const std::vector<float> &values) {
    const float *at = values.data();
    const auto counts = model_.parameterCounts();
    for (unsigned s = 0; s != counts.size(); ++s, at += counts[s - 1])
      engine_.writeTensor(transformer::valuesHandle(s), at, at + counts[s]);
  }

  /// \returns the mean loss of the rows before the update
  double step(float rate) {
    rate_ = rate;
    microBatch_ = {};
    engine_.run(transformer::kTrain);
    return static_cast<double>(loss_) /
           static_cast<double>(options_.shape.rows() * options_.microBatches);
  }

  std::vector<float> predict(const std::vector<std::uint32_t> &prompt, std::uint32_t position,
                             float temperature) {
    prompt_ = prompt;
    position_ = position;
    engine_.writeTensor(transformer::kTemperatureHandle, &temperature, &temperature + 1);
    engine_.run(transformer::kPredict);
    return probabilities_;
  }

private:
  static poplar::Graph &withCodelets(poplar::Graph &graph) {
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    poprand::addCodelets(graph);
    return graph;
  }

  void connect() {
    const auto toDevice = [this](const char *stream, auto fill) {
      engine_.connectStreamToCallback(stream, [fill](void *row) { fill(row); });
    };
    toDevice(transformer::kCharactersStream, [this](void *row) {
      excerpts_.fillCharacters(microBatch_.characters++, 0, static_cast<std::uint32_t *>(row));
    });
    toDevice(transformer::kLabelsStream, [this](void *row) {
      excerpts_.fillLabels(microBatch_.labels++, 0, static_cast<std::uint32_t *>(row));
    });
    toDevice(transformer::kRateStream,
             [this](void *row) { std::memcpy(row, &rate_, sizeof rate_); });
    toDevice(transformer::kPromptStream, [this](void *row) {
      std::memcpy(row, prompt_.data(), prompt_.size() * sizeof prompt_[0]);
    });
    toDevice(transformer::kPositionStream,
             [this](void *row) { std::memcpy(row, &position_, sizeof position_); });
    engine_.connectStreamToCallback(transformer::kLossStream,
                                    [this](void *row) { std::memcpy(&loss_, row, sizeof loss_); });
    probabilities_.resize(options_.shape.alphabet);
    engine_.connectStream(transformer::kProbabilitiesStream, probabilities_.data(),
                          probabilities_.data() + probabilities_.size());
  }

  std::vector<float> read(std::string (*handle)(unsigned)) {
    std::vector<float> all;
    const auto counts = model_.parameterCounts();
    for (unsigned s = 0; s != counts.size(); ++s) {
      const std::size_t before = all.size();
      all.resize(before + counts[s]);
      engine_.readTensor(handle(s), all.data() + before, all.data() + all.size());
    }
    return all;
  }

  struct MicroBatch {
    std::uint64_t characters = 0, labels = 0;
  };

  transformer::ModelOptions options_;
  transformer::Excerpts excerpts_;
  poplar::Device device_;
  poplar::Graph graph_;
  transformer::Model model_;
  poplar::Engine engine_;
  MicroBatch microBatch_;
  float rate_ = 0, loss_ = 0;
  std::vector<std::uint32_t> prompt_;
  std::uint32_t position_ = 0;
  std::vector<float> probabilities_;
};

} // namespace copse::test
