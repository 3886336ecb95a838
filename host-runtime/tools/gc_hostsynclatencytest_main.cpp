// gc-hostsynclatencytest: measures the time of a sync with the host.
#include "devices.hpp"
#include "report.hpp"
#include "trial.hpp"

#include <cstdint>
#include <poplar/Program.hpp>
#include <sstream>

namespace {

using namespace copse::tools;
using namespace poplar;

struct Options {
  DeviceChoice device;
  unsigned syncs = 4095, delay = 160;
};

/// Returns a program that takes \p cycles of the modelled clock.
program::Program delayOf(Graph &graph, unsigned cycles) {
  std::stringstream codelet("#include <poplar/Vertex.hpp>\n"
                            "class Delay : public poplar::MultiVertex {\n"
                            "public:\n"
                            "  bool compute(unsigned) { return true; }\n"
                            "};\n");
  graph.addCodelets(codelet);
  const ComputeSet set = graph.addComputeSet("delay");
  const VertexRef vertex = graph.addVertex(set, "Delay");
  graph.setTileMapping(vertex, 0);
  graph.setPerfEstimate(vertex, cycles);
  return program::Execute(set);
}

Rows run(const Options &options) {
  const Device device = attachDevice(options.device);
  Graph graph(device);
  const Tensor word = addSpread(graph, 4, 0, 1, "word");
  const DataStream out = graph.addDeviceToHostFIFO("out", UNSIGNED_INT, 1);
  program::Sequence once({program::Copy(word, out)});
  if (options.delay > 0)
    once.add(delayOf(graph, options.delay));
  std::uint32_t row = 0;
  const Trial trial = measure(device, graph, program::Repeat(options.syncs, once), {},
                              [&](Engine &engine) { engine.connectStream("out", &row); });
  return {{{"syncs", options.syncs},
           {"delay_cycles", options.delay},
           {"modelled_us", trial.modelledSeconds * 1e6},
           {"modelled_us_per_sync", trial.modelledSeconds * 1e6 / options.syncs},
           {"wall_us", trial.wallSeconds * 1e6},
           {"wall_us_per_sync", trial.wallSeconds * 1e6 / options.syncs}}};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Measures syncs with the host, each with a word of data and followed by a delay: "
               "modelled and wall-clock time.",
               "gc-hostsynclatencytest"};
  Options options;
  options.device.addOptions(app);
  app.add_option("--syncs", options.syncs, "number of syncs")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  app.add_option("--delay", options.delay, "delay after each sync [tile cycles]")
      ->capture_default_str();
  return runTool(app, argc, argv, [&] { return run(options); });
}
