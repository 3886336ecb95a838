// Measures what ipud adds to the work of a vertex: a compute set of one empty vertex for each
// worker of a Mk2 IPU, run like an image, against a loop of as many indirect calls of the same
// function, on one thread. Also measures the gain by a second thread when vertices have work to do.
#include "no_environment.hpp"

#include "ipud/ipu.hpp"
#include "wire/codelet_abi.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace copse::ipud {
namespace {

constexpr std::uint32_t kTiles = 1472, kWorkers = 6, kBase = 0x4C000;
constexpr std::uint32_t kComputeSets = 100; ///< per run of the program

clock::MachineModel machine() {
  clock::MachineModel model;
  model.tileClockHz = 1e9;
  model.syncHopSeconds = 1e-9;
  return model;
}

/// \param symbol  the codelet's symbol
/// \param stateBytes  from one vertex of a tile to the next
wire::Image imageOf(const char *symbol, std::uint32_t stateBytes, std::uint32_t cycles,
                    std::uint32_t computeSets) {
  wire::Image image;
  image.geometry.tiles = kTiles;
  image.geometry.memoryBase = kBase;
  image.geometry.memoryBytes = 0x9C000;
  image.modules = {{std::string(64, '0'), "empty"}};
  image.functions = {{0, symbol, symbol, false}};
  auto &set = image.computeSets.emplace_back();
  for (std::uint32_t tile = 0; tile < kTiles; ++tile) {
    set.tiles.push_back({tile, tile * kWorkers, kWorkers});
    for (std::uint32_t worker = 0; worker < kWorkers; ++worker)
      set.vertices.push_back({kBase + stateBytes * worker, 0, cycles});
  }
  wire::Step repeat, run;
  repeat.op = wire::Op::Repeat;
  repeat.count = computeSets;
  repeat.body = 1;
  image.steps = {repeat, run};
  image.programs = {{0, 2}};
  return image;
}

void countVertices(benchmark::State &state) {
  const auto vertices = static_cast<double>(state.iterations()) * kComputeSets * kTiles * kWorkers;
  state.counters["ns_per_vertex"] = benchmark::Counter(
      vertices * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void subject(benchmark::State &state) {
  Ipu ipu(clock::TimingModel(machine(), wire::Topology::Mesh, 1), {});
  NoEnvironment environment;
  const auto loaded =
      ipu.load(imageOf("emptyCodelet", 8, 1, kComputeSets), {}, [](const wire::ModuleRef &) {
        return wire::Result<std::filesystem::path>(EMPTY_CODELET);
      });
  if (!loaded.ok())
    return state.SkipWithError(loaded.message.c_str());
  for (auto _ : state) {
    const auto report = ipu.run(0, environment);
    if (!report.ok() || (*report).vertices != kComputeSets * kTiles * kWorkers)
      return state.SkipWithError("not every vertex ran");
  }
  countVertices(state);
}
BENCHMARK(subject)->Name("dispatch_empty_vertex/subject")->Unit(benchmark::kMillisecond);

void reference(benchmark::State &state) {
  void *const module = dlopen(EMPTY_CODELET, RTLD_NOW);
  const auto entry = module == nullptr
                         ? nullptr
                         : reinterpret_cast<wire::CodeletEntry>(dlsym(module, "emptyCodelet"));
  if (entry == nullptr)
    return state.SkipWithError("cannot open the codelet");
  std::vector<std::byte> states(8 * kTiles * kWorkers);
  for (auto _ : state) {
    bool all = true;
    for (std::uint32_t set = 0; set < kComputeSets; ++set)
      for (std::size_t vertex = 0; vertex < kTiles * kWorkers; ++vertex)
        all &= entry(states.data() + 8 * vertex, 0);
    benchmark::DoNotOptimize(all);
  }
  countVertices(state);
  dlclose(module);
}
BENCHMARK(reference)->Name("dispatch_empty_vertex/reference")->Unit(benchmark::kMillisecond);

/// A compute set whose vertices all work, on \p threads.
void working(benchmark::State &state, unsigned threads) {
  IpuOptions options;
  options.threads = threads;
  Ipu ipu(clock::TimingModel(machine(), wire::Topology::Mesh, 1), options);
  NoEnvironment environment;
  const auto loaded =
      ipu.load(imageOf("workingCodelet", 2048, 600, 1), {}, [](const wire::ModuleRef &) {
        return wire::Result<std::filesystem::path>(EMPTY_CODELET);
      });
  if (!loaded.ok())
    return state.SkipWithError(loaded.message.c_str());
  for (auto _ : state)
    if (!ipu.run(0, environment).ok())
      return state.SkipWithError("the compute set failed");
}
void withTwoThreads(benchmark::State &state) { working(state, 2); }
void withOneThread(benchmark::State &state) { working(state, 1); }
BENCHMARK(withTwoThreads)
    ->Name("dispatch_second_core/subject")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(withOneThread)
    ->Name("dispatch_second_core/reference")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace
} // namespace copse::ipud

BENCHMARK_MAIN();
