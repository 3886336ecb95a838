// gc-memorytest: checks that tile memory keeps what is written to it.
#include "devices.hpp"
#include "report.hpp"
#include "trial.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <poplar/Program.hpp>
#include <sstream>
#include <stdexcept>

namespace {

using namespace copse::tools;
using namespace poplar;

struct Options {
  DeviceChoice device;
  unsigned bytes = 1 << 19;
  Workload work{1472, 1};
};

/// Defines word number i of a tile as `base + i * step`.
struct Pattern {
  const char *name;
  std::uint32_t base, step;
};
constexpr Pattern kPatterns[] = {{"zeros", 0, 0},
                                 {"ones", 0xffffffff, 0},
                                 {"0x55555555", 0x55555555, 0},
                                 {"0xaaaaaaaa", 0xaaaaaaaa, 0},
                                 {"addresses", 0, 0x9e3779b1}};

constexpr const char *kCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
struct Fill : Vertex {
  Output<Vector<unsigned>> memory;
  Input<Vector<unsigned>> pattern;
  bool compute() {
    for (unsigned i = 0; i < memory.size(); ++i)
      memory[i] = pattern[0] + i * pattern[1];
    return true;
  }
};
struct Compare : Vertex {
  Input<Vector<unsigned>> memory, pattern;
  InOut<unsigned> errors;
  bool compute() {
    unsigned different = 0;
    for (unsigned i = 0; i < memory.size(); ++i)
      different += memory[i] != pattern[0] + i * pattern[1];
    *errors += different;
    return true;
  }
};
)";

/// Fills the memory of all tiles and compares it afterwards, so that each word must survive the
/// writing of all others.
class MemoryTest {
public:
  MemoryTest(const Device &device, const Options &options)
      : options_(options), graph_(device), engine_(graph_, build()) {
    engine_.load(device);
  }

  Rows run() {
    Rows rows;
    for (const Pattern &pattern : kPatterns) {
      const std::uint32_t words[] = {pattern.base, pattern.step};
      std::vector<std::uint32_t> errors(tiles_);
      engine_.writeTensor("errors", errors.data(), errors.data() + errors.size());
      engine_.writeTensor("pattern", std::begin(words), std::end(words));
      const auto begin = std::chrono::steady_clock::now();
      engine_.run();
      const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
      engine_.readTensor("errors", errors.data(), errors.data() + errors.size());
      rows.push_back({{"pattern", pattern.name},
                      {"tiles", tiles_},
                      {"bytes_per_tile", options_.bytes},
                      {"errors", std::accumulate(errors.begin(), errors.end(), std::uint64_t{0})},
                      {"wall_ms", wall.count() * 1e3}});
    }
    return rows;
  }

private:
  program::Program build() {
    std::stringstream codelets(kCodelets);
    graph_.addCodelets(codelets);
    const Target &target = graph_.getTarget();
    const unsigned tilesPerIpu = std::min(options_.work.tiles, target.getTilesPerIPU());
    tiles_ = tilesPerIpu * target.getNumIPUs();
    const std::size_t words = (options_.bytes + 3) / 4;
    const Tensor pattern = graph_.addVariable(UNSIGNED_INT, {2}, "pattern");
    const Tensor errors = graph_.addVariable(UNSIGNED_INT, {tiles_}, "errors");
    graph_.setTileMapping(pattern, 0);
    graph_.createHostWrite("pattern", pattern);
    graph_.createHostWrite("errors", errors);
    graph_.createHostRead("errors", errors);
    const ComputeSet fill = graph_.addComputeSet("fill"), compare = graph_.addComputeSet("compare");
    for (unsigned i = 0; i < tiles_; ++i) {
      const unsigned tile = i / tilesPerIpu * target.getTilesPerIPU() + i % tilesPerIpu;
      const Tensor memory = graph_.addVariable(UNSIGNED_INT, {words}, "memory");
      graph_.setTileMapping(memory, tile);
      graph_.setTileMapping(errors[i], tile);
      graph_.setTileMapping(
          graph_.addVertex(fill, "Fill", {{"memory", memory}, {"pattern", pattern}}), tile);
      graph_.setTileMapping(
          graph_.addVertex(compare, "Compare",
                           {{"memory", memory}, {"pattern", pattern}, {"errors", errors[i]}}),
          tile);
    }
    return program::Repeat(options_.work.iterations,
                           program::Sequence({program::Execute(fill), program::Execute(compare)}));
  }

  Options options_;
  Graph graph_;
  unsigned tiles_ = 0; ///< tiles of all IPUs
  Engine engine_;
};

void test(const Options &options, bool json) {
  const Device device = attachDevice(options.device);
  const Rows rows = MemoryTest(device, options).run();
  print(std::cout, rows, json);
  for (const auto &row : rows)
    if (row["errors"] != 0)
      throw std::runtime_error("tile memory has not kept what was written to it");
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Fills tile memory with patterns and compares it; the exit code is 1 if a word has "
               "changed, or has a parity error.",
               "gc-memorytest"};
  Options options;
  options.device.addOptions(app);
  app.add_option("--bytes", options.bytes, "bytes of each tile")
      ->check(CLI::Range(4, 600 << 10))
      ->capture_default_str();
  options.work.addOptions(app, "times that each pattern is written");
  return runTool(app, argc, argv, [&](bool json) { test(options, json); });
}
