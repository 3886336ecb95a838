#include "network.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <poplar/CycleCount.hpp>
#include <random>

namespace digits {

using namespace poplar;
using namespace poplar::program;

namespace {

/// All parameters are views of one tensor, so that they move as one to the other replicas and to
/// remote memory. Each unit's weights and bias stand next to each other, on the tile that works on
/// that unit.
class Parameters {
public:
  Parameters(Graph &graph, unsigned hidden, const std::string &name)
      : hidden_(hidden), all_(graph.addVariable(FLOAT, {count(hidden)}, name)) {
    const unsigned tiles = graph.getTarget().getNumTiles();
    for (unsigned unit = 0; unit < hidden_ + kClasses; ++unit)
      graph.setTileMapping(row(unit), unit % tiles);
  }

  static unsigned count(unsigned hidden) {
    return hidden * (kPixels + 1) + kClasses * (hidden + 1);
  }
  /// Returns the row of a unit: units 0 .. hidden-1 belong to the hidden layer, the others to the
  /// output layer.
  Tensor row(unsigned unit) const {
    return all_.slice(begin(unit), begin(unit) + inputs(unit) + 1);
  }
  Tensor weights(unsigned unit) const { return row(unit).slice(0, inputs(unit)); }
  Tensor bias(unsigned unit) const { return row(unit)[inputs(unit)]; }
  /// Returns the weights by which the output layer multiplies the output of hidden unit \p unit,
  /// shape [kClasses].
  Tensor column(unsigned unit) const {
    std::vector<Tensor> elements;
    for (unsigned c = 0; c < kClasses; ++c)
      elements.push_back(weights(hidden_ + c).slice(unit, unit + 1));
    return concat(elements);
  }
  const Tensor &all() const { return all_; }
  unsigned inputs(unsigned unit) const { return unit < hidden_ ? kPixels : hidden_; }

private:
  std::size_t begin(unsigned unit) const {
    return unit < hidden_
               ? std::size_t{unit} * (kPixels + 1)
               : std::size_t{hidden_} * (kPixels + 1) + std::size_t{unit - hidden_} * (hidden_ + 1);
  }
  unsigned hidden_;
  Tensor all_;
};

class Network {
public:
  Network(Graph &graph, const NetworkOptions &options)
      : graph_(graph), options_(options), tiles_(graph.getTarget().getNumTiles()),
        parameters_(graph, options.hidden, "parameters"),
        gradients_(graph, options.hidden, "gradients"),
        momentum_(graph, options.hidden, "momentum"), images_(activations(kPixels, "images")),
        hidden_(activations(options.hidden, "hidden")), logits_(activations(kClasses, "logits")) {
    graph_.setInitialValue(parameters_.all(), ArrayRef<float>(initialWeights()));
    graph_.createHostRead(kWeightsHandle, parameters_.all());
  }

  Program trainEpoch() {
    const unsigned batch = options_.batch;
    const DataStream images = graph_.addHostToDeviceFIFO(kImagesStream, FLOAT, kPixels * batch);
    const DataStream labels = graph_.addHostToDeviceFIFO(kLabelsStream, INT, batch);
    const DataStream loss = graph_.addDeviceToHostFIFO(kLossStream, FLOAT, 1);
    const Tensor labelsOnTile = graph_.addVariable(INT, {batch}, "labels");
    for (unsigned b = 0; b < batch; ++b)
      graph_.setTileMapping(labelsOnTile[b], b % tiles_);
    const Tensor lossSum = graph_.addVariable(FLOAT, {1}, "lossSum");
    graph_.setTileMapping(lossSum, 0);

    Sequence step;
    step.add(Copy(images, images_.flatten()));
    step.add(Copy(labels, labelsOnTile));
    addForward(step);
    addBackward(step, labelsOnTile, lossSum);
    addUpdate(step, addAllReduce(step));
    step.add(Copy(lossSum, loss));

    Sequence epoch{Repeat(options_.stepsPerEpoch, step)};
    graph_.createHostRead(kCyclesHandle,
                          cycleCount(graph_, epoch, 0, SyncType::EXTERNAL, "cycles"));
    return epoch;
  }

  Program test() {
    const unsigned batch = options_.batch;
    const DataStream images = graph_.addHostToDeviceFIFO(kTestImagesStream, FLOAT, kPixels * batch);
    const DataStream predictions = graph_.addDeviceToHostFIFO(kPredictionsStream, INT, batch);
    const Tensor predicted = graph_.addVariable(INT, {batch}, "predicted");
    Sequence step;
    step.add(Copy(images, images_.flatten()));
    addForward(step);
    const ComputeSet argMax = graph_.addComputeSet("argMax");
    for (unsigned b = 0; b < batch; ++b) {
      graph_.setTileMapping(predicted[b], b % tiles_);
      vertex(argMax, "ArgMax", b, 20 * kClasses,
             {{"logits", image(logits_, b)}, {"label", predicted[b]}});
    }
    step.add(Execute(argMax));
    step.add(Copy(predicted, predictions));
    return Repeat(options_.testSteps, step);
  }

  /// Returns the programs kSave and kRestore: weights and momentum to a slot of remote memory, and
  /// back.
  std::vector<Program> checkpoint() {
    const unsigned count = parameterCount(options_);
    const RemoteBuffer weights = graph_.addRemoteBuffer(kKeptWeightsBuffer, FLOAT, count, 2);
    const RemoteBuffer momentum = graph_.addRemoteBuffer(kKeptMomentumBuffer, FLOAT, count, 2);
    graph_.addRemoteBuffer(kRecordBuffer, UNSIGNED_INT, kRecordWords); // only the host uses it
    const Tensor slot = graph_.addVariable(UNSIGNED_INT, {}, "slot");
    graph_.setTileMapping(slot, 0);
    graph_.createHostWrite(kSlotHandle, slot);
    return {Sequence{Copy(*stored_, momentum_.all()), Copy(parameters_.all(), weights, slot),
                     Copy(momentum_.all(), momentum, slot)},
            Sequence{Copy(weights, parameters_.all(), slot), Copy(momentum, momentum_.all(), slot),
                     Copy(momentum_.all(), *stored_)}};
  }

private:
  /// Features of a batch, shape [features, batch], a row on each tile.
  Tensor activations(unsigned features, const std::string &name) {
    const Tensor t = graph_.addVariable(FLOAT, {features, options_.batch}, name);
    for (unsigned f = 0; f < features; ++f)
      graph_.setTileMapping(t[f], f % tiles_);
    return t;
  }
  static Tensor image(const Tensor &activations, unsigned b) {
    return activations.slice(b, b + 1, 1).flatten();
  }

  // Cycle estimates count a load, an arithmetic instruction and a store where they are needed,
  // without vector types.
  VertexRef vertex(const ComputeSet &set, const std::string &type, unsigned tile, unsigned cycles,
                   ArrayRef<Graph::ConnectionDesc> connections) {
    const VertexRef v = graph_.addVertex(set, type, connections);
    graph_.setTileMapping(v, tile % tiles_);
    graph_.setPerfEstimate(v, cycles);
    return v;
  }

  /// Returns uniform random numbers within the limits of Glorot and Bengio; the same on every
  /// replica. Biases start at 0.
  std::vector<float> initialWeights() const {
    std::mt19937 random(options_.seed);
    std::vector<float> values;
    for (unsigned unit = 0; unit < options_.hidden + kClasses; ++unit) {
      const unsigned inputs = parameters_.inputs(unit);
      const unsigned outputs = unit < options_.hidden ? options_.hidden : kClasses;
      const float limit = std::sqrt(6.0f / static_cast<float>(inputs + outputs));
      for (unsigned i = 0; i < inputs; ++i) // not std::uniform_real_distribution: libraries differ
        values.push_back(limit * (2.0f * static_cast<float>(random() >> 8) / 16777216.0f - 1.0f));
      values.push_back(0.0f);
    }
    return values;
  }

  void addForward(Sequence &step) {
    const unsigned hidden = options_.hidden, batch = options_.batch;
    const ComputeSet first = graph_.addComputeSet("hidden"),
                     second = graph_.addComputeSet("logits");
    for (unsigned unit = 0; unit < hidden; ++unit)
      vertex(first, "Dense<true>", unit, 30 + 4 * kPixels * batch,
             {{"x", images_.flatten()},
              {"w", parameters_.weights(unit)},
              {"bias", parameters_.bias(unit)},
              {"y", hidden_[unit]}});
    for (unsigned c = 0; c < kClasses; ++c)
      vertex(second, "Dense<false>", hidden + c, 30 + 4 * hidden * batch,
             {{"x", hidden_.flatten()},
              {"w", parameters_.weights(hidden + c)},
              {"bias", parameters_.bias(hidden + c)},
              {"y", logits_[c]}});
    step.add(Execute(first));
    step.add(Execute(second));
  }

  void addBackward(Sequence &step, const Tensor &labels, const Tensor &lossSum) {
    const unsigned hidden = options_.hidden, batch = options_.batch;
    const Tensor losses = graph_.addVariable(FLOAT, {batch}, "losses");
    const Tensor logitGradients = activations(kClasses, "logitGradients");
    const Tensor hiddenGradients = activations(hidden, "hiddenGradients");

    const ComputeSet softmax = graph_.addComputeSet("softmax");
    for (unsigned b = 0; b < batch; ++b) {
      graph_.setTileMapping(losses[b], b % tiles_);
      const VertexRef v = vertex(softmax, "SoftmaxCrossEntropy", b, 150 * kClasses,
                                 {{"logits", image(logits_, b)},
                                  {"label", labels[b]},
                                  {"gradient", image(logitGradients, b)},
                                  {"loss", losses[b]}});
      graph_.setInitialValue(v["scale"],
                             1.0f / static_cast<float>(batch * graph_.getReplicationFactor()));
    }
    const ComputeSet reluGradient = graph_.addComputeSet("reluGradient");
    for (unsigned unit = 0; unit < hidden; ++unit)
      vertex(reluGradient, "ReluGradient", unit, 30 + 4 * kClasses * batch,
             {{"w", parameters_.column(unit)},
              {"delta", logitGradients.flatten()},
              {"x", hidden_[unit]},
              {"dx", hiddenGradients[unit]}});
    vertex(reluGradient, "Sum", 0, 20 + 2 * batch, {{"in", losses}, {"out", lossSum[0]}});

    const ComputeSet weightGradients = graph_.addComputeSet("weightGradients");
    for (unsigned unit = 0; unit < hidden + kClasses; ++unit) {
      const bool first = unit < hidden;
      vertex(weightGradients, "WeightGradient", unit, 30 + 3 * gradients_.inputs(unit) * batch,
             {{"x", (first ? images_ : hidden_).flatten()},
              {"delta", first ? hiddenGradients[unit] : logitGradients[unit - hidden]},
              {"dw", gradients_.weights(unit)},
              {"dbias", gradients_.bias(unit)}});
    }
    step.add(Execute(softmax));
    step.add(Execute(reluGradient));
    step.add(Execute(weightGradients));
  }

  /// Passes every replica's gradients round a ring until each has all of them, and adds them up in
  /// the same order everywhere.
  /// \returns the sums
  Parameters addAllReduce(Sequence &step) {
    const unsigned replicas = graph_.getReplicationFactor();
    if (replicas == 1)
      return gradients_;
    std::map<unsigned, unsigned> ring;
    for (unsigned r = 0; r < replicas; ++r)
      ring[r] = (r + 1) % replicas;
    std::vector<Parameters> slots{gradients_};
    for (unsigned s = 1; s < replicas; ++s) {
      slots.emplace_back(graph_, options_.hidden, "slot" + std::to_string(s));
      step.add(CrossReplicaCopy(slots[s - 1].all(), slots[s].all(), ring));
    }
    const Parameters sums(graph_, options_.hidden, "gradientSums");
    const Tensor self = graph_.addReplicationIndexConstant("self");
    graph_.setTileMapping(self, 0);
    const ComputeSet sum = graph_.addComputeSet("sumReplicas");
    for (unsigned unit = 0; unit < options_.hidden + kClasses; ++unit) {
      std::vector<Tensor> rows;
      for (const Parameters &slot : slots)
        rows.push_back(slot.row(unit));
      const unsigned elements = gradients_.inputs(unit) + 1;
      vertex(sum, "SumReplicas", unit, 40 + replicas * (20 + 4 * elements),
             {{"slots", rows}, {"self", self}, {"sum", sums.row(unit)}});
    }
    step.add(Execute(sum));
    return sums;
  }

  void addUpdate(Sequence &step, const Parameters &gradients) {
    stored_ = graph_.addRemoteBuffer(kMomentumBuffer, FLOAT, parameterCount(options_));
    const ComputeSet update = graph_.addComputeSet("update");
    for (unsigned unit = 0; unit < options_.hidden + kClasses; ++unit) {
      const VertexRef v = vertex(update, "Update", unit, 30 + 8 * (gradients.inputs(unit) + 1),
                                 {{"gradient", gradients.row(unit)},
                                  {"momentum", momentum_.row(unit)},
                                  {"weights", parameters_.row(unit)}});
      graph_.setInitialValue(v["rate"], options_.learningRate);
      graph_.setInitialValue(v["decay"], options_.momentum);
    }
    step.add(Copy(*stored_, momentum_.all()));
    step.add(Execute(update));
    step.add(Copy(momentum_.all(), *stored_));
  }

  Graph &graph_;
  NetworkOptions options_;
  unsigned tiles_;
  Parameters parameters_, gradients_, momentum_;
  Tensor images_, hidden_, logits_;
  std::optional<RemoteBuffer> stored_; ///< the momentum, between steps
};

} // namespace

unsigned parameterCount(const NetworkOptions &options) { return Parameters::count(options.hidden); }

std::vector<Program> buildNetwork(Graph &graph, const NetworkOptions &options,
                                  const std::string &codelets) {
  graph.addCodelets(codelets);
  Network network(graph, options);
  std::vector<Program> programs{network.trainEpoch(), network.test()};
  if (options.checkpoint)
    for (Program &program : network.checkpoint())
      programs.push_back(std::move(program));
  return programs;
}

} // namespace digits
