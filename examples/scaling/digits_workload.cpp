#include "digits_workload.hpp"

#include "../digits/batches.hpp"
#include "../digits_cnn/network.hpp"

namespace scaling {
namespace {

using digits::BatchPlan;
using digits::RowKind;

HostStream batches(const char *handle, RowKind kind,
                   const std::shared_ptr<const digits::Dataset> &dataset, const Scale &scale) {
  const auto callback = [=](unsigned replica) {
    // As many images as all replicas take, or the same ones again.
    const BatchPlan plan(dataset->train.size(), scale.batch, scale.replicas, false, 1);
    return digits::makeBatchFeeder(kind, dataset->train, plan, scale.batch, replica);
  };
  return {handle, callback};
}

} // namespace

Work digitsWithGcl(poplar::Graph &graph, const Options & /*options*/, const Scale &scale) {
  digits_cnn::NetworkOptions options;
  options.batch = scale.batch;
  options.accumulate = scale.accumulate;
  digits_cnn::Network network(graph, options);
  const auto dataset =
      std::make_shared<const digits::Dataset>(digits::readDataset(DIGITS_DATA_DIR "/digits.csv"));
  Work work{network.initialise(), network.trainStep(), {}};
  work.streams.push_back(batches(digits_cnn::kImagesStream, RowKind::Images, dataset, scale));
  work.streams.push_back(batches(digits_cnn::kLabelsStream, RowKind::Labels, dataset, scale));
  return work;
}

} // namespace scaling
