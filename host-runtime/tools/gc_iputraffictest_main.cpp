// gc-iputraffictest: measures the traffic of two IPUs over their IPU-Links, both directions at
// once.
#include "devices.hpp"
#include "report.hpp"
#include "trial.hpp"

#include <poplar/Program.hpp>

namespace {

using namespace copse::tools;
using namespace poplar;

struct Options {
  DeviceChoice device{{}, 2, "mesh"};
  unsigned from = 0, to = 1;
  std::size_t bytes = 1 << 20;
  Workload work;
};

Rows run(const Options &options) {
  const Device device = attachDevice(options.device);
  Graph graph(device);
  const unsigned ipus = graph.getTarget().getNumIPUs();
  if (options.from >= ipus || options.to >= ipus || options.from == options.to)
    throw poplar_error("--from and --to must be two of the device's " + std::to_string(ipus) +
                       " IPUs");
  const auto spread = [&](unsigned ipu, const char *name) {
    return addSpread(graph, options.bytes, ipu, options.work.tiles, name);
  };
  const Tensor source = concat({spread(options.from, "sent"), spread(options.to, "sent")});
  const Tensor target = concat({spread(options.to, "received"), spread(options.from, "received")});
  const Trial trial = measure(
      device, graph, program::Repeat(options.work.iterations, program::Copy(source, target)));
  const double gigabits = 16e-9 * static_cast<double>(options.bytes) * options.work.iterations;
  return {{{"from", options.from},
           {"to", options.to},
           {"bytes", options.bytes},
           {"iterations", options.work.iterations},
           {"modelled_us", trial.modelledSeconds * 1e6},
           {"modelled_Gbps", gigabits / trial.modelledSeconds},
           {"wall_us", trial.wallSeconds * 1e6},
           {"wall_Gbps", gigabits / trial.wallSeconds}}};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{
      "Measures traffic between two IPUs, both directions at once: modelled and wall-clock rates, "
      "summed over both directions.",
      "gc-iputraffictest"};
  Options options;
  options.device.addOptions(app);
  app.add_option("--from", options.from, "one IPU of the device")->capture_default_str();
  app.add_option("--to", options.to, "the other IPU")->capture_default_str();
  app.add_option("--bytes", options.bytes, "bytes of one direction and iteration")
      ->check(CLI::Range(1 << 2, 1 << 28))
      ->capture_default_str();
  options.work.addOptions(app, "exchanges");
  return runTool(app, argc, argv, [&] { return run(options); });
}
