// Measures the cost of one tile instruction in host instructions, counted by callgrind, which
// repeats exactly: each loop runs n and 2n times under it, in processes of their own, and the
// difference is divided by the number of additional tile instructions. Without arguments for a
// loop, this program is the benchmark that starts those processes.
#include "processor/memory_access.hpp"
#include "processor/tile_processor.hpp"

#include "assembler/assembler.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace copse::ipud {
namespace {

constexpr std::uint32_t kCode = 0x4C000, kVertex = 0x50000;

/// Worker code that runs a body `count` times, which is the vertex's first word.
struct Loop {
  const char *name;
  const char *source;
  double units; ///< that are counted in one turn: instructions, bundles or products
} const kLoops[] = {
    {"tile_integers", R"(
1:
  add $m2, $m2, 3
  xor $m3, $m3, $m2
  shl $m4, $m3, 2
  ld32step $m5, $mzero, $m6+=, 0
  max $m3, $m4, $m5
  st32step $m3, $mzero, $m7+=, 0
  brnzdec $m0, 1b
)",
     7},
    // Every other turn skips one instruction, so a turn has six and a half.
    {"tile_branches", R"(
1:
  add $m2, $m2, 3
  and $m3, $m2, 1
  ld32step $m5, $mzero, $m6+=, 0
  brz $m3, 2f
  xor $m4, $m4, $m5
2:
  st32step $m4, $mzero, $m7+=, 0
  brnzdec $m0, 1b
)",
     6.5},
    // Straight code with a call and a return.
    {"tile_calls", R"(
1:
  add $m2, $m2, 3
  xor $m3, $m3, $m2
  call $m10, 2f
  shl $m4, $m3, 2
  max $m3, $m4, $m5
  brnzdec $m0, 1b
  bri 3f
2:
  ld32 $m5, $m6, $mzero, 1
  add $m5, $m5, $m3
  st32 $m5, $m7, $mzero, 1
  br $m10
3:
)",
     10},
    // Rows of three elements: a loop of few turns in another.
    {"tile_rows", R"(
1:
  mov $m8, $m6
  setzi $m1, 2
  add $m3, $m3, 1
2:
  ld32step $m4, $mzero, $m8+=, 1
  add $m2, $m2, $m4
  brnzdec $m1, 2b
  st32step $m2, $mzero, $m7+=, 0
  brnzdec $m0, 1b
)",
     14},
    // A sum of four pairs in a repeat, and what the next one needs.
    {"tile_sums", R"(
1:
  .align 8
  { mov $m8, $m6
    mov $a2:3, $azeros }
  nop
  rpt 4, 0
  { ld64step $a0:1, $mzero, $m8+=, 1
    f32v2add $a2:3, $a2:3, $a0:1 }
  { nop
    f32add $a2, $a2, $a3 }
  st32step $a2, $mzero, $m7+=, 0
  brnzdec $m0, 1b
)",
     10},
    {"tile_copy", R"(
1:
  ld32step $m5, $mzero, $m6+=, 0
  mul $m5, $m5, 3
  st32step $m5, $mzero, $m7+=, 0
  brnzdec $m0, 1b
)",
     4},
    {"tile_floats", R"(
  rpt $m0, 2
  { ld64step $a0:1, $mzero, $m6+=, 0
    f32v2add $a2:3, $a2:3, $a4:5 }
  { ld32step $a6, $mzero, $m6+=, 0
    f32mul $a7, $a6, $a4 }
  { st64step $a2:3, $mzero, $m7+=, 0
    f32v2mul $a4:5, $a4:5, $a0:1 }
)",
     3},
    {"tile_amp", R"(
  rpt $m0, 1
  { nop
    f16v4sisoamp $a4:5, $a0:1, $azeros, 0x30 }
  { nop
    f16v4sisoamp $a4:5, $a0:1, $azeros, 0x31 }
)",
     64},
    {"tile_amp_two_sets", R"(
  rpt $m0, 1
  { nop
    f16v4hihov4amp $a4:5, $a0:1, $azeros, 0x30 }
  { nop
    f16v4hihov4amp $a4:5, $a0:1, $azeros, 0x31 }
)",
     128},
    {"tile_amp_f32", R"(
  rpt $m0, 1
  { nop
    f32sisoamp $a4:5, $a0, $azeros, 0x30 }
  { nop
    f32sisoamp $a4:5, $a0, $azeros, 0x31 }
)",
     16},
};

class Tile {
public:
  explicit Tile(const Loop &loop)
      : memory_(1 << 20), cache_(chipOf(isa::Architecture::Ipu2), {{kCode, kCode + 0x1000}}),
        processor_(cache_, std::int64_t{1} << 40) {
    const std::string source = std::string(".worker\n.align 8\n") +
                               "ld32 $m0, $mvertex_base, $mzero, 0\nsetzi $m6, 0x80000\n"
                               "setzi $m7, 0x88000\n"
                               "ld64 $a4:5, $mvertex_base, $mzero, 1\nld64 $a0:1, $mvertex_base, "
                               "$mzero, 2\n.align 8\n" +
                               (std::strstr(loop.source, "rpt") != nullptr ? "nop\n" : "") +
                               loop.source + "\nexitz $mzero\n";
    const auto object = assembler::assemble(source, "loop.S", isa::Architecture::Ipu2).object;
    for (const auto &section : object.sections)
      if (section.isExecutable && !section.bytes.empty())
        place(section);
    const float ones[] = {1.0F, 1.0F};
    std::memcpy(memory_.data() + kVertex + 8, ones, sizeof ones);
    const std::uint16_t halves[] = {0x3C00, 0x3800, 0x3C00, 0x3400};
    std::memcpy(memory_.data() + kVertex + 16, halves, sizeof halves);
    std::memcpy(memory_.data() + 0x80000, ones, sizeof ones);
    for (unsigned i = 0; i < 64; ++i)
      tile_.weights.set(i, 0x3C0038003400BC00 + i);
  }

  void run(std::uint32_t count) {
    stored(memory_.data() + kVertex, count);
    const auto result = processor_.runWorker(tile_, memory_.data(), 0, kCode, kVertex);
    if (result.fault) {
      std::cerr << "stopped by " << isa::nameOf(result.fault->type) << "\n";
      std::abort();
    }
  }

private:
  void place(const assembler::Section &section) {
    std::memcpy(memory_.data() + kCode, section.bytes.data(), section.bytes.size());
    for (const auto &relocation : section.relocations) {
      auto *const at = memory_.data() + kCode + relocation.offset;
      // Branches to local labels: an offset in the section.
      stored(at, loaded<std::uint32_t>(at) |
                     (kCode + static_cast<std::uint32_t>(relocation.addend)) >> 2);
    }
  }

  std::vector<std::byte> memory_;
  CodeCache cache_;
  TileProcessor processor_;
  TileContexts tile_;
};

const char *program = "";

/// Host instructions of a process that runs \p loop \p count times.
double counted(const Loop &loop, std::uint32_t count) {
  const std::string command =
      std::string("valgrind --tool=callgrind --callgrind-out-file=/dev/null ") + program +
      " --loop " + loop.name + " " + std::to_string(count) + " 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE *)> pipe(popen(command.c_str(), "r"), pclose);
  double collected = 0;
  std::array<char, 256> line{};
  while (pipe && std::fgets(line.data(), static_cast<int>(line.size()), pipe.get()) != nullptr)
    if (const char *const at = std::strstr(line.data(), "Collected : "))
      collected = std::strtod(at + 12, nullptr);
  return collected;
}

void cost(benchmark::State &state, const Loop &loop) {
  constexpr std::uint32_t kTurns = 20'000;
  for (auto _ : state) {
    const double once = counted(loop, kTurns), twice = counted(loop, 2 * kTurns);
    if (once == 0 || twice == 0) {
      state.SkipWithError("valgrind is needed to count instructions");
      return;
    }
    state.counters["host_per_unit"] = (twice - once) / (kTurns * loop.units);
  }
}

} // namespace
} // namespace copse::ipud

int main(int argc, char **argv) {
  using namespace copse::ipud;
  program = argv[0];
  if (argc == 4 && std::string(argv[1]) == "--loop") {
    for (const Loop &loop : kLoops)
      if (std::string(argv[2]) == loop.name)
        Tile(loop).run(static_cast<std::uint32_t>(std::stoul(argv[3])));
    return 0;
  }
  for (const Loop &loop : kLoops)
    benchmark::RegisterBenchmark((std::string(loop.name) + "/subject").c_str(), cost, loop)
        ->Iterations(1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
