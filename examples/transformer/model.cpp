#include "model.hpp"

#include <algorithm>
#include <gcl/Collectives.hpp>
#include <poplar/CycleCount.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

namespace transformer {

using poplar::FLOAT;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using poplar::program::Copy;
using poplar::program::Program;
using poplar::program::Repeat;
using poplar::program::Sequence;

namespace {

/// Adds one number on the first tile of \p graph.
Tensor addNumber(poplar::Graph &graph, const poplar::Type &type, const char *name,
                 const std::vector<std::size_t> &shape = {}) {
  const Tensor t = graph.addVariable(type, shape, name);
  graph.setTileMapping(t, 0);
  return t;
}

} // namespace

std::string valuesHandle(unsigned stage) { return "values" + std::to_string(stage); }
std::string gradientsHandle(unsigned stage) { return "gradients" + std::to_string(stage); }

Model::Model(poplar::Graph &graph, const ModelOptions &options) : graph_(graph), options_(options) {
  const unsigned tiles = graph.getTarget().getTilesPerIPU();
  const unsigned used = std::min(options.tilesPerIpu, tiles);
  const float gradientScale =
      1.0f / static_cast<float>(options.shape.rows() * options.microBatches);
  for (unsigned s = 0; s != options.stages; ++s) {
    stages_.push_back(std::make_unique<Stage>(graph.createVirtualGraph(s * tiles, s * tiles + used),
                                              options.shape, Stage::Place{s, options.stages},
                                              gradientScale, options.seed));
    Stage &stage = *stages_.back();
    optimisers_.emplace_back(stage.graph(), stage.parameters(), s, Adam::Options());
    graph.createHostRead(valuesHandle(s), stage.parameters().values());
    graph.createHostWrite(valuesHandle(s), stage.parameters().values());
    graph.createHostRead(gradientsHandle(s), stage.parameters().gradients());
  }
  addCheckpoints();
}

std::vector<std::size_t> Model::parameterCounts() const {
  std::vector<std::size_t> counts;
  for (const auto &stage : stages_)
    counts.push_back(stage->parameters().values().numElements());
  return counts;
}

std::vector<Program> Model::programs() { return {reset(), train(), predict(), save(), restore()}; }

Sequence Model::reset() {
  Sequence prog;
  for (const Adam &optimiser : optimisers_)
    optimiser.addReset(prog);
  return prog;
}

Sequence Model::train() {
  Sequence prog{Repeat(options_.stepsPerRun, step())};
  graph_.createHostRead(kCyclesHandle,
                        poplar::cycleCount(graph_, prog, 0, poplar::SyncType::EXTERNAL, "cycles"));
  return prog;
}

Sequence Model::step() {
  const std::size_t rows = options_.shape.rows();
  const Pipeline pipeline(graph_, stages_,
                          graph_.addHostToDeviceFIFO(kCharactersStream, UNSIGNED_INT, rows + 2),
                          graph_.addHostToDeviceFIFO(kLabelsStream, UNSIGNED_INT, rows));
  Sequence step;
  const Tensor &lossSum = stages_.back()->lossSum();
  popops::zero(stages_.back()->graph(), lossSum, step, "zeroLoss");
  std::vector<Tensor> gradients;
  for (const auto &stage : stages_) {
    gradients.push_back(stage->parameters().gradients());
    popops::zero(stage->graph(), gradients.back(), step, "zeroGradients");
  }
  pipeline.addPasses(options_.microBatches, step);
  if (graph_.getReplicationFactor() > 1)
    gcl::allReduceInPlaceCrossReplica(graph_, gradients, gcl::CollectiveOperator::MEAN, step,
                                      "gradients");
  addUpdate(step);
  step.add(Copy(lossSum, graph_.addDeviceToHostFIFO(kLossStream, FLOAT, 1)));
  return step;
}

/// Adds the update in three loops, because access to remote memory makes all IPUs wait, and the
/// arithmetic does not.
void Model::addUpdate(Sequence &step) {
  std::vector<Tensor> rates;
  for (const auto &stage : stages_)
    rates.push_back(addNumber(stage->graph(), FLOAT, "rate"));
  step.add(Copy(graph_.addHostToDeviceFIFO(kRateStream, FLOAT, 1), rates.front()));
  for (std::size_t s = 1; s != stages_.size(); ++s)
    step.add(Copy(rates.front(), rates[s]));
  for (const Adam &optimiser : optimisers_)
    optimiser.addFetch(step);
  for (std::size_t s = 0; s != stages_.size(); ++s)
    optimisers_[s].addArithmetic(rates[s], step);
  for (const Adam &optimiser : optimisers_)
    optimiser.addStore(step);
}

/// Returns a program that computes the probability of each character after the prompt, at a
/// temperature.
Sequence Model::predict() {
  const Shape &shape = options_.shape;
  Stage &first = *stages_.front(), &last = *stages_.back();
  Tensor x = first.addInput(shape.context, "prompt");
  const Tensor position = addNumber(last.graph(), UNSIGNED_INT, "position", {1});
  const Tensor temperature = addNumber(last.graph(), FLOAT, "temperature");
  graph_.createHostWrite(kTemperatureHandle, temperature);

  Sequence prog;
  prog.add(Copy(graph_.addHostToDeviceFIFO(kPromptStream, UNSIGNED_INT, shape.context), x));
  prog.add(Copy(graph_.addHostToDeviceFIFO(kPositionStream, UNSIGNED_INT, 1), position));
  for (const auto &stage : stages_) {
    if (stage != stages_.front()) {
      const Tensor arrived = stage->addInput(shape.context, "predict/in");
      prog.add(Copy(x, arrived));
      x = arrived;
    }
    x = stage->evaluate(x, prog);
  }
  const Tensor row =
      popops::dynamicSlice(last.graph(), x, position, {0}, {1}, prog, "predict/lastRow");
  const Tensor probabilities = last.evaluateHead(row, prog);
  popops::divInPlace(last.graph(), probabilities, temperature, prog, "predict/temperature");
  popnn::softmaxStableInPlace(last.graph(), probabilities, prog, "predict/softmax");
  prog.add(Copy(probabilities.flatten(),
                graph_.addDeviceToHostFIFO(kProbabilitiesStream, FLOAT, shape.alphabet)));
  return prog;
}

void Model::addCheckpoints() {
  std::vector<Tensor> slots;
  for (std::size_t s = 0; s != stages_.size(); ++s) {
    const std::size_t elements = stages_[s]->parameters().values().numElements();
    kept_.push_back(graph_.addRemoteBuffer("kept" + std::to_string(s), FLOAT, 3 * elements, 2));
    slots_.push_back(addNumber(stages_[s]->graph(), UNSIGNED_INT, "slot"));
    slots.push_back(slots_.back().expand({0}));
  }
  graph_.createHostWrite(kSlotHandle, poplar::concat(slots));
  graph_.addRemoteBuffer(kRecordBuffer, UNSIGNED_INT, kRecordWords);
}

Sequence Model::save() {
  Sequence prog;
  for (std::size_t s = 0; s != stages_.size(); ++s) {
    optimisers_[s].addFetch(prog);
    prog.add(
        Copy(poplar::concat(stages_[s]->parameters().values(), optimisers_[s].moments().flatten()),
             kept_[s], slots_[s]));
  }
  return prog;
}

Sequence Model::restore() {
  Sequence prog;
  for (std::size_t s = 0; s != stages_.size(); ++s) {
    prog.add(
        Copy(kept_[s],
             poplar::concat(stages_[s]->parameters().values(), optimisers_[s].moments().flatten()),
             slots_[s]));
    optimisers_[s].addStore(prog);
  }
  return prog;
}

} // namespace transformer
