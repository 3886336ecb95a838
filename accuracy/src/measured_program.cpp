#include "measured_program.hpp"

#include <cstdlib>
#include <sstream>

namespace copse::accuracy {

using namespace poplar;

Machine::Machine(const Parameters &parameters, unsigned ipus,
                 const std::function<void(IPUModel &)> &change) {
  const auto pod = parameters.get<std::string>("pod", "");
  ::setenv("COPSE_POD", pod.c_str(), 1); // devices read it when they are made
  const auto chip = parameters.get<std::string>("chip", "ipu2");
  IPUModel model(chip.c_str());
  model.numIPUs = ipus;
  model.tilesPerIPU = parameters.get<unsigned>("tiles", model.tilesPerIPU);
  model.tileClockFrequency = 1e6 * parameters.get<double>("clockMHz", chip == "ipu1" ? 1600 : 1330);
  clockHz_ = model.tileClockFrequency;
  if (change)
    change(model);
  device_ =
      model.createDevice({{"copse.execution", "modelled"},
                          {"ipuLinkTopology", parameters.get<std::string>("topology", "mesh")}});
  device_.attach();
}

std::vector<double> cyclesOf(const Machine &machine, const Graph &graph,
                             const std::vector<program::Program> &programs,
                             const std::function<void(Engine &)> &connect,
                             const OptionFlags &options) {
  OptionFlags all = options;
  all.set("debug.instrument", "true");
  all.set("autoReport.executionProfileProgramRunCount", std::to_string(2 * programs.size()));
  Engine engine(graph, programs, all);
  if (connect)
    connect(engine);
  engine.load(machine.device());
  for (unsigned program = 0; program < programs.size(); ++program)
    for (unsigned run = 0; run < 2; ++run)
      engine.run(program);
  const ProfileValue profile = engine.getExecutionProfile();
  std::vector<double> cycles;
  for (unsigned program = 0; program < programs.size(); ++program) {
    const ProfileValue &run = profile["runs"].asVector().at(2 * program + 1);
    cycles.push_back(static_cast<double>(run["to"].asUint64() - run["from"].asUint64()));
  }
  return cycles;
}

void spread(Graph &graph, const Tensor &tensor, unsigned first, unsigned tiles, std::size_t grain) {
  const Tensor flat = tensor.flatten();
  const std::size_t elements = flat.numElements(), grains = (elements + grain - 1) / grain;
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const std::size_t begin = std::min(elements, grains * tile / tiles * grain);
    const std::size_t end = std::min(elements, grains * (tile + 1) / tiles * grain);
    graph.setTileMapping(flat.slice(begin, end), first + tile);
  }
}

program::Program work(Graph &graph, double cycles) {
  static const char *const kCodelet = R"(
#include <poplar/Vertex.hpp>
class Work : public poplar::MultiVertex {
public:
  poplar::InOut<float> x;
  bool compute(unsigned) { return true; }
};
)";
  std::stringstream codelet(kCodelet);
  if (!graph.hasCodelet("Work"))
    graph.addCodelets(codelet);
  const ComputeSet set = graph.addComputeSet("work");
  for (unsigned ipu = 0; ipu < graph.getTarget().getNumIPUs(); ++ipu) {
    const unsigned tile = ipu * graph.getTarget().getTilesPerIPU();
    const Tensor x = graph.addVariable(FLOAT, {}, "x");
    graph.setTileMapping(x, tile);
    const VertexRef vertex = graph.addVertex(set, "Work", {{"x", x}});
    graph.setTileMapping(vertex, tile);
    graph.setPerfEstimate(vertex, static_cast<std::uint64_t>(cycles));
  }
  return program::Execute(set);
}

} // namespace copse::accuracy
