// What ipud adds to the work of a vertex: a compute set of one empty vertex for each worker of a
// Mk2 IPU, run as an image is run, against a loop of as many indirect calls of the same function.
// One thread.
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

sync::MachineModel machine() {
  sync::MachineModel model;
  model.tileClockHz = 1e9;
  model.syncHopSeconds = 1e-9;
  return model;
}

wire::Image imageOfEmptyVertices() {
  wire::Image image;
  image.geometry.tiles = kTiles;
  image.geometry.memoryBase = kBase;
  image.geometry.memoryBytes = 0x9C000;
  image.modules = {{std::string(64, '0'), "empty"}};
  image.functions = {{0, "emptyCodelet", "Empty", false}};
  auto &set = image.computeSets.emplace_back();
  for (std::uint32_t tile = 0; tile < kTiles; ++tile) {
    set.tiles.push_back({tile, tile * kWorkers, kWorkers});
    for (std::uint32_t worker = 0; worker < kWorkers; ++worker)
      set.vertices.push_back({kBase + 8 * worker, 0, 1});
  }
  wire::Step repeat, run;
  repeat.op = wire::Op::Repeat;
  repeat.count = kComputeSets;
  repeat.body = 1;
  image.steps = {repeat, run};
  image.programs = {{0, 2}};
  return image;
}

/// Nothing outside of the chip is asked for.
class NoEnvironment : public Environment {
public:
  wire::Result<wire::Cycles> sync(wire::SyncGroup, std::uint32_t, wire::Cycles now) override {
    return now;
  }
  void awaitAllTaken() override {}
  wire::Status send(wire::IpuId, std::uint32_t, fabric::Payload) override { return none(); }
  wire::Result<fabric::Payload> receive(wire::IpuId, std::uint32_t) override { return none(); }
  wire::Result<StreamData> readStream(std::uint32_t, std::uint32_t) override { return none(); }
  wire::Status writeStream(std::uint32_t, std::uint32_t, fabric::Payload) override {
    return none();
  }
  wire::Result<fabric::Payload> readRows(std::uint32_t, std::span<const std::uint32_t>) override {
    return none();
  }
  wire::Status writeRows(std::uint32_t, std::span<const std::uint32_t>, fabric::Payload) override {
    return none();
  }
  wire::Status print(std::uint32_t, fabric::Payload) override { return none(); }
  bool stopRequested() const override { return false; }

private:
  static wire::Status none() { return {wire::Code::Internal, "not in this benchmark"}; }
};

void countVertices(benchmark::State &state) {
  const auto vertices = static_cast<double>(state.iterations()) * kComputeSets * kTiles * kWorkers;
  state.counters["ns_per_vertex"] = benchmark::Counter(
      vertices * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void subject(benchmark::State &state) {
  Ipu ipu(sync::TimingModel(machine(), wire::Topology::Mesh, 1), {});
  NoEnvironment environment;
  const auto loaded = ipu.load(imageOfEmptyVertices(), {}, [](const wire::ModuleRef &) {
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

} // namespace
} // namespace copse::ipud

BENCHMARK_MAIN();
