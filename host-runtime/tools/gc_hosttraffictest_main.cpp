// gc-hosttraffictest: measures streams from the host to IPUs and back.
#include "devices.hpp"
#include "report.hpp"
#include "trial.hpp"

#include <cstdint>
#include <memory>
#include <poplar/Program.hpp>
#include <poplar/StreamCallback.hpp>

namespace {

using namespace copse::tools;
using namespace poplar;

struct Options {
  DeviceChoice device;
  std::size_t bytes = 1 << 20;
  Workload work;
  bool prefetch = false;
};

/// Provides rows before the IPU asks for them; their contents do not matter.
class ReadyRows : public StreamCallback {
public:
  Result prefetch(void *) override { return Result::Success; }
  void fetch(void *) override {}
  void complete() override {}
};

/// Measures a copy of `bytes` to or from each IPU of the device, all at once.
nlohmann::ordered_json transfer(const Device &device, const Options &options, bool toHost) {
  Graph graph(device);
  std::vector<Tensor> parts;
  for (unsigned ipu = 0; ipu < graph.getTarget().getNumIPUs(); ++ipu)
    parts.push_back(addSpread(graph, options.bytes, ipu, options.work.tiles, "row"));
  const Tensor tensor = concat(parts);
  const std::size_t elements = tensor.numElements();
  const program::Program copy =
      toHost ? program::Copy(tensor, graph.addDeviceToHostFIFO("s", UNSIGNED_INT, elements))
             : program::Copy(graph.addHostToDeviceFIFO("s", UNSIGNED_INT, elements), tensor);
  std::vector<std::uint32_t> row(elements);
  const Trial trial =
      measure(device, graph, program::Repeat(options.work.iterations, copy),
              {{"exchange.enablePrefetch", options.prefetch ? "true" : "false"},
               {"exchange.streamBufferOverlap", "none"}},
              [&](Engine &engine) {
                if (toHost)
                  engine.connectStream("s", row.data());
                else
                  engine.connectStreamToCallback("s", std::make_unique<ReadyRows>());
              });
  const double gigabits = 32e-9 * static_cast<double>(elements) * options.work.iterations;
  return {{"direction", toHost ? "IPU to host" : "host to IPU"},
          {"ipus", parts.size()},
          {"bytes_per_ipu", options.bytes},
          {"modelled_us", trial.modelledSeconds * 1e6},
          {"modelled_Gbps", gigabits / trial.modelledSeconds},
          {"wall_us", trial.wallSeconds * 1e6},
          {"wall_Gbps", gigabits / trial.wallSeconds}};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Measures traffic between the host and IPUs, one direction after the other: "
               "modelled and wall-clock rates, summed over the IPUs.",
               "gc-hosttraffictest"};
  Options options;
  options.device.addOptions(app);
  app.add_option("--bytes", options.bytes, "bytes of each IPU and iteration")
      ->check(CLI::Range(1 << 2, 1 << 27))
      ->capture_default_str();
  options.work.addOptions(app, "transfers");
  app.add_flag("--prefetch", options.prefetch, "send rows to the IPU before it requests them");
  return runTool(app, argc, argv, [&]() -> Rows {
    const Device device = attachDevice(options.device);
    return {transfer(device, options, false), transfer(device, options, true)};
  });
}
