#include "transformer_workload.hpp"

#include "../transformer/excerpts.hpp"
#include "../transformer/learning_rate.hpp"
#include "../transformer/model.hpp"
#include "../transformer/row_feeder.hpp"

#include <poplin/codelets.hpp>
#include <popnn/codelets.hpp>
#include <popops/codelets.hpp>
#include <poprand/codelets.hpp>
#include <stdexcept>

namespace scaling {
namespace {

constexpr std::size_t kBlocks = 4;

/// Returns a text of all characters of the alphabet in turn, long enough for all replicas. The
/// figures must not depend on a text that may be edited.
transformer::Text textFor(unsigned replicas) {
  std::string alphabet = "\n";
  for (char c = ' '; c <= '~'; ++c)
    alphabet += c;
  std::string text;
  for (unsigned r = 0; r < replicas; ++r)
    text += alphabet;
  return transformer::Text(text);
}

/// The host's rows, and the text that they are excerpts of.
struct Source {
  Source(const transformer::ModelOptions &options, unsigned replicas)
      : text(textFor(replicas)), excerpts(text, options.shape, replicas, options.seed) {}
  Source(const Source &) = delete;
  Source &operator=(const Source &) = delete;

  transformer::Text text;
  transformer::Excerpts excerpts;
  transformer::LearningRate rate;
};

using Fill = void (*)(const Source &source, unsigned replica, std::uint64_t number, void *row);

HostStream rows(const char *handle, const std::shared_ptr<const Source> &source, Fill fill) {
  const auto callback = [=](unsigned replica) {
    return transformer::makeRowFeeder(
        [=](std::uint64_t number, void *row) { fill(*source, replica, number, row); }, 0);
  };
  return {handle, callback};
}

std::vector<HostStream> streamsOf(const std::shared_ptr<const Source> &source) {
  return {rows(transformer::kCharactersStream, source,
               [](const Source &s, unsigned replica, std::uint64_t number, void *row) {
                 s.excerpts.fillCharacters(number, replica, static_cast<std::uint32_t *>(row));
               }),
          rows(transformer::kLabelsStream, source,
               [](const Source &s, unsigned replica, std::uint64_t number, void *row) {
                 s.excerpts.fillLabels(number, replica, static_cast<std::uint32_t *>(row));
               }),
          rows(transformer::kRateStream, source,
               [](const Source &s, unsigned, std::uint64_t step, void *row) {
                 const transformer::Adam::Options adam;
                 *static_cast<float *>(row) =
                     s.rate.forAdam(step, static_cast<double>(adam.firstDecay),
                                    static_cast<double>(adam.secondDecay));
               }),
          // The loss is discarded.
          rows(transformer::kLossStream, source,
               [](const Source &, unsigned, std::uint64_t, void *) {})};
}

transformer::ModelOptions modelFor(const Scale &scale) {
  if (scale.ipusPerReplica > kBlocks)
    throw std::runtime_error("the transformer has " + std::to_string(kBlocks) +
                             " blocks; a replica cannot have more IPUs");
  transformer::ModelOptions options;
  options.shape.blocks = kBlocks;
  options.shape.batch = scale.batch;
  options.stages = scale.ipusPerReplica;
  options.tilesPerIpu = kTiles;
  options.microBatches = scale.accumulate;
  return options;
}

} // namespace

Work transformerStep(poplar::Graph &graph, const Options & /*options*/, const Scale &scale) {
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  popnn::addCodelets(graph);
  poprand::addCodelets(graph);
  const transformer::ModelOptions options = modelFor(scale);
  transformer::Model model(graph, options);
  return {model.reset(), model.step(),
          streamsOf(std::make_shared<const Source>(options, scale.replicas))};
}

} // namespace scaling
