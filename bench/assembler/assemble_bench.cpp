// How fast preprocessed assembly becomes an object.
#include "assembler/assembler.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace {

constexpr unsigned kFunctions = 2000;

/// The mix of real sources: loads, arithmetic, branches, bundles in a repeat, macros, conditions.
std::string source() {
  std::string text = ".macro LOAD reg offset\n"
                     "  ld32 $\\reg, $mvertex_base, $mzero, \\offset/4\n"
                     ".endm\n"
                     ".macro LOOP id op\n"
                     ".ifc \"\\op\",\"add\"\n"
                     "  f32v2\\op $a0:1, $a2:3, $a0:1\n"
                     ".else\n"
                     "  f32v2\\op $a0:1, $a0:B, $a2:3\n"
                     ".endif\n"
                     "Lmacro\\id\\()_\\@:\n"
                     ".endm\n";
  for (unsigned i = 0; i < kFunctions; ++i) {
    const std::string name = "function" + std::to_string(i);
    text += ".section .text." + name + ", \"ax\"\n.globl " + name + "\n.type " + name +
            ", @function\n.align 8\n.worker\n" + name +
            ":\n"
            "  LOAD m0 0\n"
            "  LOAD m1, 4\n"
            "  ld32 $m2, $mvertex_base, $mzero, (8 + 4 * 0)/4 // count\n"
            "  setzi $m3, 0x12345\n"
            "  or $m3, $m3, 0x3F800000\n"
            "  brz $m2, 3f\n"
            "  add $m2, $m2, -1\n"
            "  nop\n"
            "  {\n"
            "    rpt $m2, (2f - 1f)/8 - 1\n"
            "    fnop\n"
            "  }\n"
            "1:\n"
            "  {\n"
            "    ld64step $a0:1, $mzero, $m0+=, 1\n"
            "    f32v2mul $a4:5, $a2:3, $a0:1\n"
            "  }\n"
            "  { st64step $a4:5, $mzero, $m1+=, 1; fnop }\n"
            "2:\n"
            "  LOOP " +
            std::to_string(i) +
            " add\n"
            "  LOOP " +
            std::to_string(i) +
            " mul\n"
            "  and $m4, $m2, 7\n"
            "  brnzdec $m2, " +
            name +
            "\n"
            "3:\n"
            "  exitz $mzero\n"
            ".size " +
            name + ", . - " + name + "\n";
  }
  return text;
}

void assemble_lines(benchmark::State &state) {
  const std::string text = source();
  const auto lines = static_cast<double>(std::count(text.begin(), text.end(), '\n'));
  std::size_t sections = 0;
  for (auto _ : state)
    sections = copse::assembler::assemble(text, "bench.S", copse::isa::Architecture::Ipu2)
                   .object.sections.size();
  if (sections != kFunctions + 1)
    throw std::logic_error("the benchmark's source did not assemble to its functions");
  state.counters["us_per_line"] = benchmark::Counter(
      lines * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["lines_per_s"] =
      benchmark::Counter(lines, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(assemble_lines)->Name("assemble_lines/subject")->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
