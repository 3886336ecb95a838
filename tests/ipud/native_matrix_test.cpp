// Compares the matrix unit in native code with the same instructions on the tile.
#include "one_ipu.hpp"
#include "processor/tile_processor.hpp"
#include "tile/tile_memory.hpp"

#include "wire/codelet_abi.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace copse::ipud {
namespace {

using test::ImageBuilder;
using test::OneIpu;
using test::step;
using ::testing::HasSubstr;

constexpr std::uint32_t kState = 0x4C100, kWeights = 0x80000, kImmediates = 0x54000,
                        kOperands = 0x58000, kWords = 0x5C000, kResults = 0x60000;
constexpr std::uint32_t kCalls = 300, kEntry = 0x4C000;

using Words = std::vector<std::uint32_t>;

struct MatrixCase {
  const char *name;
  isa::Opcode opcode;
  bool halves;          ///< x and the weights are, else floats
  bool halfPartials;    ///< likewise for the partials
  std::uint32_t phases; ///< values of the lowest bits of the immediate
  unsigned resultWords;
  /// Format of weights, 2 * format of x, 256 * scale; 0: halves, floats.
  std::uint32_t quarters = 0;
};
const MatrixCase kMatrixCases[] = {
    {"F16v4sisoamp", isa::Opcode::F16v4sisoamp, true, false, 4, 2},
    {"F16v4sihoamp", isa::Opcode::F16v4sihoamp, true, false, 4, 1},
    {"F16v4hihoamp", isa::Opcode::F16v4hihoamp, true, true, 4, 1},
    {"F16v4hihov4amp", isa::Opcode::F16v4hihov4amp, true, true, 4, 2},
    {"F32sisoamp", isa::Opcode::F32sisoamp, false, false, 8, 2},
    {"F32sisov2amp", isa::Opcode::F32sisov2amp, false, false, 8, 2},
    {"F16v4sisoslic", isa::Opcode::F16v4sisoslic, true, false, 16, 2},
    {"F16v4sihoslic", isa::Opcode::F16v4sihoslic, true, false, 16, 1},
    {"F16v4hihoslic", isa::Opcode::F16v4hihoslic, true, true, 16, 1},
    {"F16v4hihov4slic", isa::Opcode::F16v4hihov4slic, true, true, 16, 2},
    {"F32sisoslic", isa::Opcode::F32sisoslic, false, false, 16, 2},
    {"F32sisov2slic", isa::Opcode::F32sisov2slic, false, false, 16, 2},
    {"F8v8hihov4amp", isa::Opcode::F8v8hihov4amp, true, true, 4, 2, 61 << 8 | 1},
    {"F8v8hihov4slic", isa::Opcode::F8v8hihov4slic, true, true, 16, 2, 3 << 8 | 2},
};
isa::Architecture chipFor(const MatrixCase &c) {
  return c.quarters != 0 ? isa::Architecture::Ipu21 : isa::Architecture::Ipu2;
}

/// Returns random operands: mostly ordinary numbers, sometimes any bits.
class Operands {
public:
  explicit Operands(const MatrixCase &c) {
    for (unsigned i = 0; i < 2 * 64; ++i)
      weights.push_back(word(c.halves));
    for (unsigned i = 0; i < kCalls; ++i) {
      immediates.push_back((random_() % 4) << 4 | random_() % c.phases);
      for (const bool halves : {c.halves, c.halves, c.halfPartials, c.halfPartials})
        inputs.push_back(word(halves));
    }
  }
  Words weights, immediates, inputs;

private:
  std::uint32_t word(bool halves) {
    if (random_() % 64 == 0)
      return static_cast<std::uint32_t>(random_());
    if (halves)
      return half() | half() << 16;
    const std::uint32_t sign = random_() % 2 << 31, exponent = 110 + random_() % 30;
    return sign | exponent << 23 | (random_() & 0x7FFFFF);
  }
  std::uint32_t half() {
    return static_cast<std::uint32_t>(random_() % 2 << 15 | (8 + random_() % 12) << 10 |
                                      (random_() & 0x3FF));
  }
  std::mt19937_64 random_{7};
};

std::uint32_t wordOf(isa::Opcode opcode, std::uint32_t immediate) {
  return isa::encode({opcode, {0, 2, 4, immediate}});
}

/// Executes one instruction after another on a worker of the tile.
struct OnTheTile {
  explicit OnTheTile(const MatrixCase &c, const Operands &operands)
      : cache(chipOf(chipFor(c)), {}), processor(cache) {
    if (!memory.map(test::geometry(1)).ok())
      return;
    tile.initialFormat = c.quarters & 3;
    tile.initialScale = c.quarters >> 8;
    for (unsigned i = 0; i < 64; ++i)
      tile.weights.set(i,
                       std::uint64_t{operands.weights[2 * i + 1]} << 32 | operands.weights[2 * i]);
    for (unsigned call = 0; call < kCalls; ++call) {
      WorkerState &worker = tile.workers[0];
      std::copy_n(&operands.inputs[4 * call], 4, &worker.registers.a(2));
      const std::uint32_t exit = isa::encode({isa::Opcode::Exitz, {15}});
      const std::uint32_t code[] = {wordOf(c.opcode, operands.immediates[call]), exit};
      std::memcpy(memory.at(0, kEntry), code, sizeof code);
      const auto result = processor.runWorker(tile, memory.at(0, 0), 0, kEntry, kState);
      EXPECT_EQ(result.fault, nullptr);
      for (unsigned i = 0; i < 2; ++i)
        results.push_back(i < c.resultWords ? worker.registers.a(i) : 0);
    }
  }
  TileMemory memory;
  CodeCache cache;
  TileProcessor processor;
  TileContexts tile;
  Words results;
};

/// Executes the same by a native codelet.
class Native : public OneIpu {
public:
  wire::Result<IpuRun> run(std::uint32_t word, const Operands &operands, bool twoGroups,
                           std::uint32_t weightsAt = kWeights, std::uint32_t quarters = 0,
                           wire::Architecture chip = wire::Architecture::Ipu2) {
    ImageBuilder b(1);
    b.image.architecture = chip;
    const auto function = b.function("matrix");
    b.computeSet("the set");
    b.vertex(
        0, function, kState,
        {weightsAt, twoGroups, word, kCalls, kImmediates, kOperands, kWords, kResults, quarters});
    const auto put = [&](std::uint32_t address, const Words &values) {
      b.image.initial.push_back(
          {{0, address, static_cast<std::uint32_t>(4 * values.size()), 1, 0}, b.image.data.size()});
      const auto bytes = std::as_bytes(std::span(values));
      b.image.data.insert(b.image.data.end(), bytes.begin(), bytes.end());
    };
    put(kWeights, operands.weights);
    put(kImmediates, operands.immediates);
    put(kOperands, operands.inputs);
    b.view({0, kResults}, 8 * kCalls);
    b.view({0, kWords}, 128);
    b.program({step(wire::Op::ComputeSet)});
    return OneIpu::run(b.image);
  }
};

class NativeMatrix : public ::testing::TestWithParam<MatrixCase> {};

TEST_P(NativeMatrix, ComputesTheSameAsTheTile) {
  const auto &c = GetParam();
  const Operands operands(c);
  const OnTheTile tile(c, operands);
  Native native;
  const auto chip = c.quarters != 0 ? wire::Architecture::Ipu21 : wire::Architecture::Ipu2;
  const auto report =
      native.run(wordOf(c.opcode, 0), operands, c.phases == 4, kWeights, c.quarters, chip);
  ASSERT_TRUE(report.ok()) << report.status().message;
  Words results = native.values<std::uint32_t>(0);
  for (std::size_t i = 1; c.resultWords == 1 && i < results.size(); i += 2)
    results[i] = 0;
  EXPECT_EQ(results, tile.results);
  const Accumulators &left = tile.tile.workers[0].accumulators;
  Words expected(32);
  std::memcpy(expected.data(), left.working.data(), 64);
  std::memcpy(expected.data() + 16, left.delayed.data(), 64);
  EXPECT_EQ(native.values<std::uint32_t>(1), expected);
  EXPECT_TRUE(std::ranges::any_of(results, [](std::uint32_t word) { return word != 0; }));
}
INSTANTIATE_TEST_SUITE_P(Instructions, NativeMatrix, ::testing::ValuesIn(kMatrixCases),
                         [](const auto &p) { return p.param.name; });

TEST(NativeMatrixFaults, NameInstructionsThatTheTileLacks) {
  const Operands operands(kMatrixCases[0]);
  const auto message = [&](std::uint32_t word, bool twoGroups, std::uint32_t weights) {
    const auto status = Native().run(word, operands, twoGroups, weights).status();
    EXPECT_EQ(status.code, wire::Code::VertexFault);
    return status.message;
  };
  const std::uint32_t good = wordOf(isa::Opcode::F16v4sisoamp, 0);
  EXPECT_THAT(message(isa::encode({isa::Opcode::F32v2add, {0, 2, 4}}), false, kWeights),
              HasSubstr("is no instruction of the matrix unit"));
  EXPECT_THAT(message(wordOf(isa::Opcode::F8v8hihov4amp, 0), false, kWeights),
              HasSubstr("is no instruction of the matrix unit")); // ipu2 has no such instruction
  const auto status = Native().run(good, operands, false, kWeights, 1).status();
  EXPECT_THAT(status.message, HasSubstr("control register 0x31"));
  EXPECT_THAT(message(good, false, 0xE8000),
              HasSubstr("address 0xe8000, which the tile does not have"));
  EXPECT_THAT(message(good, false, kWeights + 4), HasSubstr("misaligned or not interleaved"));
  EXPECT_THAT(message(good, true, 0x50000), HasSubstr("misaligned or not interleaved"));
}

} // namespace
} // namespace copse::ipud
