// gc-exchangetest: measures the exchange between the tiles of one IPU.
#include "devices.hpp"
#include "report.hpp"
#include "trial.hpp"

#include <poplar/Program.hpp>

namespace {

using namespace copse::tools;
using namespace poplar;

struct Options {
  DeviceChoice device;
  std::size_t bytes = 4096;
  Workload work{1472};
};

/// Which tile sends to which.
struct Pattern {
  const char *name;
  unsigned (*source)(unsigned tile, unsigned tiles); ///< the tile from which \p tile receives
};

constexpr Pattern kPatterns[] = {
    {"neighbour", [](unsigned tile, unsigned tiles) { return (tile + 1) % tiles; }},
    {"across", [](unsigned tile, unsigned tiles) { return (tile + tiles / 2) % tiles; }},
    {"one to all", [](unsigned, unsigned) { return 0u; }},
    {"to itself", [](unsigned tile, unsigned) { return tile; }}};

nlohmann::ordered_json exchange(const Device &device, const Options &options,
                                const Pattern &pattern) {
  Graph graph(device);
  const unsigned tiles = std::min(options.work.tiles, graph.getTarget().getTilesPerIPU());
  const std::size_t bytes = (options.bytes + 3) / 4 * 4;
  const Tensor from = addSpread(graph, bytes * tiles, 0, tiles, "from").reshape({tiles, bytes / 4});
  const Tensor to = addSpread(graph, bytes * tiles, 0, tiles, "to");
  // Makes all data visible to the host, so that no copy can be optimised away.
  graph.createHostWrite("from", from.flatten());
  graph.createHostRead("to", to);
  std::vector<Tensor> rows;
  for (unsigned tile = 0; tile < tiles; ++tile)
    rows.push_back(from[pattern.source(tile, tiles)]);
  const Trial trial = measure(
      device, graph, program::Repeat(options.work.iterations, program::Copy(concat(rows), to)));
  const double moved = static_cast<double>(bytes) * options.work.iterations;
  return {{"pattern", pattern.name},
          {"tiles", tiles},
          {"bytes_per_tile", bytes},
          {"modelled_cycles", trial.cycles / options.work.iterations},
          {"modelled_bytes_per_cycle_and_tile", moved / trial.cycles},
          {"modelled_GBps", moved * tiles / trial.modelledSeconds * 1e-9},
          {"wall_us", trial.wallSeconds * 1e6 / options.work.iterations},
          {"wall_GBps", moved * tiles / trial.wallSeconds * 1e-9}};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Measures exchanges between the tiles of one IPU, in several patterns: modelled "
               "and wall-clock time of one exchange.",
               "gc-exchangetest"};
  Options options;
  options.device.addOptions(app);
  app.add_option("--bytes", options.bytes, "bytes that each tile receives")
      ->check(CLI::Range(1 << 2, 1 << 17))
      ->capture_default_str();
  options.work.addOptions(app, "exchanges", 2);
  return runTool(app, argc, argv, [&] {
    const Device device = attachDevice(options.device);
    Rows rows;
    for (const Pattern &pattern : kPatterns)
      rows.push_back(exchange(device, options, pattern));
    return rows;
  });
}
