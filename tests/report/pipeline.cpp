#include "pipeline.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <pva/pva.hpp>
#include <sstream>
#include <vector>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

constexpr unsigned kIpus = 4, kTiles = 8, kRepeats = 5;

constexpr const char *kCodelets = R"(
#include <poplar/Vertex.hpp>
class Scale : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> weights;
  poplar::InOut<poplar::Vector<float>> data;
  bool compute() {
    for (unsigned i = 0; i < data.size(); ++i) data[i] *= weights[i];
    return true;
  }
};
)";

/// Activations and weights of one IPU, spread over its tiles.
struct Stage {
  Tensor activations, weights;
};

Tensor spread(Graph &graph, unsigned ipu, unsigned numbers, const std::string &name) {
  const Tensor tensor = graph.addVariable(FLOAT, {kTiles * numbers}, name);
  for (unsigned tile = 0; tile < kTiles; ++tile)
    graph.setTileMapping(tensor.slice(tile * numbers, (tile + 1) * numbers), ipu * kTiles + tile);
  return tensor;
}

Stage makeStage(Graph &graph, unsigned ipu, unsigned numbers) {
  const std::string name = "model/stage" + std::to_string(ipu);
  return {spread(graph, ipu, numbers, name + "/activations"),
          spread(graph, ipu, numbers, name + "/weights")};
}

/// The first tile of each IPU takes five times as long as the others, and later IPUs longer than
/// earlier ones.
ComputeSet scaling(Graph &graph, const std::vector<Stage> &stages, unsigned numbers) {
  const ComputeSet set = graph.addComputeSet("model/scale");
  for (unsigned ipu = 0; ipu < kIpus; ++ipu)
    for (unsigned tile = 0; tile < kTiles; ++tile) {
      const auto part = [&](const Tensor &tensor) {
        return tensor.slice(tile * numbers, (tile + 1) * numbers);
      };
      const VertexRef vertex = graph.addVertex(
          set, "Scale",
          {{"weights", part(stages[ipu].weights)}, {"data", part(stages[ipu].activations)}});
      graph.setTileMapping(vertex, ipu * kTiles + tile);
      graph.setPerfEstimate(vertex, numbers * (ipu + 1) * (tile == 0 ? 5 : 1));
    }
  return set;
}

} // namespace

pva::Report runPipeline(const std::string &directory, unsigned numbers, const std::string &page) {
  IPUModel model;
  model.numIPUs = kIpus;
  model.tilesPerIPU = kTiles;
  const Device device = model.createDevice();
  Graph graph(device);
  std::stringstream codelets(kCodelets);
  graph.addCodelets(codelets);
  std::vector<Stage> stages;
  for (unsigned ipu = 0; ipu < kIpus; ++ipu)
    stages.push_back(makeStage(graph, ipu, numbers));
  const std::size_t elements = stages.front().activations.numElements();
  const DataStream in = graph.addHostToDeviceFIFO("images <b>&", FLOAT, elements);
  const DataStream out = graph.addDeviceToHostFIFO("labels", FLOAT, elements);
  const RemoteBuffer state = graph.addRemoteBuffer("state", FLOAT, elements);

  Sequence step;
  step.add(Copy(in, stages.front().activations));
  step.add(Execute(scaling(graph, stages, numbers)));
  for (unsigned ipu = kIpus - 1; ipu > 0; --ipu)
    step.add(Copy(stages[ipu - 1].activations, stages[ipu].activations));
  step.add(Copy(stages.back().weights, state));
  step.add(Copy(stages.back().activations, out));
  OptionFlags options{{"autoReport.all", "true"}, {"autoReport.directory", directory}};
  if (!page.empty())
    options.set("copse.report", page);
  Engine engine(graph, Repeat(kRepeats, step), options);
  std::vector<float> data(elements, 1.0f);
  engine.connectStream("images <b>&", data.data());
  engine.connectStream("labels", data.data());
  engine.load(device);
  engine.run(0, "training");
  return engine.getReport();
}

} // namespace copse::test
