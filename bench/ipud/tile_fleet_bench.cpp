// Runs the same worker code on all tiles of a Mk2 IPU: on one thread and on two, beside plain C++.
// Also measures the memory that the interpreter takes for each tile.
#include "no_environment.hpp"

#include "assembler/assembler.hpp"
#include "ipud/ipu.hpp"

#include <benchmark/benchmark.h>

#include <cstring>
#include <malloc.h>

namespace copse::ipud {
namespace {

constexpr std::uint32_t kTiles = 1472, kBase = 0x4C000, kState = 0x50000;
constexpr std::uint32_t kTurns = 20'000;

const char kLoop[] = R"(
.section .text.work, "ax"
.worker
.align 8
work:
  ld32 $m0, $mvertex_base, $mzero, 0
  setzi $m2, 0
  setzi $m3, 0
1:
  add $m2, $m2, 3
  xor $m3, $m3, $m2
  brnzdec $m0, 1b
  st32 $m3, $mvertex_base, $mzero, 1
  exitz $mzero
)";

/// Adds \p bytes to the image's data.
/// \returns where
template <class T> std::uint64_t append(wire::Image &image, const std::vector<T> &bytes) {
  const std::uint64_t offset = image.data.size();
  image.data.resize(offset + sizeof(T) * bytes.size());
  std::memcpy(image.data.data() + offset, bytes.data(), sizeof(T) * bytes.size());
  return offset;
}

void addCode(wire::Image &image, const assembler::Section &section) {
  auto &code = image.code.emplace_back();
  code.address = kBase;
  code.bytes = static_cast<std::uint32_t>(section.bytes.size());
  code.offset = append(image, std::vector(section.bytes.begin(), section.bytes.end()));
  for (const auto &relocation : section.relocations) { // relocations of the branch
    std::byte *const at = image.data.data() + code.offset + relocation.offset;
    std::uint32_t word;
    std::memcpy(&word, at, sizeof word);
    word |= (kBase + static_cast<std::uint32_t>(relocation.addend)) >> 2;
    std::memcpy(at, &word, sizeof word);
  }
  for (std::uint32_t tile = 0; tile < kTiles; ++tile)
    code.tiles.push_back(tile);
}

wire::Image imageOfLoop() {
  wire::Image image;
  image.architecture = wire::Architecture::Ipu2;
  image.geometry.tiles = kTiles;
  image.geometry.memoryBase = kBase;
  image.geometry.memoryBytes = 0x9C000;
  image.stacks.assign(7, 0xE0000);
  const auto object = assembler::assemble(kLoop, "loop.S", isa::Architecture::Ipu2).object;
  for (const auto &section : object.sections)
    if (section.isExecutable && !section.bytes.empty())
      addCode(image, section);
  const std::uint64_t state = append(image, std::vector<std::uint32_t>{kTurns, 0});
  image.functions = {{0, "work", "Work", false, wire::CodeKind::Worker, kBase}};
  auto &set = image.computeSets.emplace_back();
  for (std::uint32_t tile = 0; tile < kTiles; ++tile) {
    set.tiles.push_back({tile, tile, 1});
    set.vertices.push_back({kState, 0, 6 * 3 * kTurns});
    image.initial.push_back({{tile, kState, 8, 1, 0}, state});
  }
  wire::Step run;
  run.op = wire::Op::ComputeSet;
  image.steps = {run};
  image.programs = {{0, 1}};
  return image;
}

void fleet(benchmark::State &state, unsigned threads) {
  clock::MachineModel machine;
  machine.tileClockHz = 1e9;
  machine.syncHopSeconds = 1e-9;
  IpuOptions options;
  options.threads = threads;
  Ipu ipu(clock::TimingModel(machine, wire::Topology::Mesh, 1), options);
  NoEnvironment environment;
  const wire::Image image = imageOfLoop();
  const std::size_t before = mallinfo2().uordblks;
  const auto loaded = ipu.load(image, {}, [](const wire::ModuleRef &) {
    return wire::Result<std::filesystem::path>({wire::Code::Internal, "there are no modules"});
  });
  if (!loaded.ok())
    return state.SkipWithError(loaded.message.c_str());
  for (auto _ : state) {
    const auto report = ipu.run(0, environment);
    if (!report.ok())
      return state.SkipWithError(report.status().message.c_str());
  }
  state.counters["KiB_per_tile"] =
      static_cast<double>(mallinfo2().uordblks - before) / 1024 / kTiles;
}

void plain(benchmark::State &state) {
  for (auto _ : state)
    for (std::uint32_t tile = 0; tile < kTiles; ++tile) {
      std::uint32_t sum = 0, mixed = 0;
      for (std::uint32_t turn = 0; turn <= kTurns; ++turn) {
        sum += 3;
        mixed ^= sum;
        benchmark::DoNotOptimize(mixed);
      }
    }
}

BENCHMARK_CAPTURE(fleet, two, 2)->Name("tile_fleet/subject")->UseRealTime();
BENCHMARK_CAPTURE(fleet, one, 1)->Name("tile_fleet/reference")->UseRealTime();
BENCHMARK_CAPTURE(fleet, memory, 1)->Name("tile_fleet_memory/subject")->Iterations(1);
BENCHMARK_CAPTURE(fleet, alone, 1)->Name("tile_against_native/subject");
BENCHMARK(plain)->Name("tile_against_native/reference");

} // namespace
} // namespace copse::ipud

BENCHMARK_MAIN();
