// gc-exchangewritetest: writes tile memory from the host, without a program on the IPU, and reads
// it.
#include "devices.hpp"
#include "report.hpp"
#include "trial.hpp"

#include <chrono>
#include <cstdint>
#include <poplar/Program.hpp>
#include <stdexcept>

namespace {

using namespace copse::tools;
using namespace poplar;

struct Options {
  DeviceChoice device;
  std::size_t bytes = 16384;
  Workload work{1472};
};

double secondsOf(unsigned iterations, const std::function<void()> &action) {
  const auto begin = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < iterations; ++i)
    action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Rows run(const Options &options) {
  const Device device = attachDevice(options.device);
  Graph graph(device);
  const unsigned ipus = graph.getTarget().getNumIPUs();
  const unsigned tiles = std::min(options.work.tiles, graph.getTarget().getTilesPerIPU());
  std::vector<Tensor> parts;
  for (unsigned ipu = 0; ipu < ipus; ++ipu)
    parts.push_back(addSpread(graph, options.bytes * tiles, ipu, tiles, "memory"));
  const Tensor memory = concat(parts);
  graph.createHostWrite("memory", memory);
  graph.createHostRead("memory", memory);
  Engine engine(graph, program::Sequence());
  engine.load(device);
  std::vector<std::uint32_t> written(memory.numElements()), read(written.size());
  for (std::size_t i = 0; i < written.size(); ++i)
    written[i] = static_cast<std::uint32_t>(i) * 0x9e3779b1U;
  const double writing = secondsOf(options.work.iterations, [&] {
    engine.writeTensor("memory", written.data(), written.data() + written.size());
  });
  const double reading = secondsOf(options.work.iterations, [&] {
    engine.readTensor("memory", read.data(), read.data() + read.size());
  });
  if (read != written)
    throw std::runtime_error("tile memory does not hold what the host has written");
  const auto row = [&](const char *direction, double seconds) -> nlohmann::ordered_json {
    const double bytes = 4.0 * static_cast<double>(written.size()) * options.work.iterations;
    return {{"direction", direction},
            {"ipus", ipus},
            {"tiles", tiles},
            {"bytes_per_tile", options.bytes},
            {"iterations", options.work.iterations},
            {"wall_us", seconds * 1e6 / options.work.iterations},
            {"wall_GBps", bytes / seconds * 1e-9}};
  };
  return {row("host writes", writing), row("host reads", reading)};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Measures how fast the host writes and reads the memory of tiles while no program "
               "runs, as Engine::writeTensor does: wall-clock rates, summed over the IPUs. "
               "Compares what it reads with what it wrote.",
               "gc-exchangewritetest"};
  Options options;
  options.device.addOptions(app);
  app.add_option("--bytes", options.bytes, "bytes of each tile")
      ->check(CLI::Range(1 << 2, 1 << 19))
      ->capture_default_str();
  options.work.addOptions(app, "transfers");
  return runTool(app, argc, argv, [&] { return run(options); });
}
