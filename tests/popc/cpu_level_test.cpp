#include "cpu_level.hpp"
#include "tile_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>

namespace copse::popc {
namespace {

using test::OpenModule;
using test::TileMemory;
using test::VertexState;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// Sets COPSE_CPU_LEVEL for the object's lifetime.
class Level {
public:
  explicit Level(const std::string &level) { ::setenv("COPSE_CPU_LEVEL", level.c_str(), 1); }
  ~Level() { ::unsetenv("COPSE_CPU_LEVEL"); }
  Level(const Level &) = delete;
  Level &operator=(const Level &) = delete;
};

class CpuLevel : public ::testing::Test {
protected:
  test::OwnCache cache_;
};

TEST_F(CpuLevel, UnknownLevelIsRefused) {
  const Level level("x86-64-v9");
  try {
    cpuLevelForCodelets();
    FAIL() << "x86-64-v9 is a level";
  } catch (const CompileError &error) {
    EXPECT_THAT(error.what(), HasSubstr("COPSE_CPU_LEVEL: 'x86-64-v9'"));
  }
}

TEST_F(CpuLevel, ModuleNamesTheChosenLevel) {
  const char *const source = "class A : public Vertex { public: bool compute() { return true; } };";
  const auto infoOf = [&] {
    const OpenModule module(test::compiled(source, Architecture::Ipu2));
    return std::string(static_cast<const char *>(module.symbol(wire::kModuleInfoSymbol)));
  };
  EXPECT_THAT(infoOf(), EndsWith("cpu=" + cpuLevelForCodelets()));
  const Level level("x86-64-v2");
  EXPECT_THAT(infoOf(), EndsWith("cpu=x86-64-v2")); // not the entry of the cache above
}

/// Loops that vectorise, with halves and with functions whose rounding a fused multiply-add would
/// change.
constexpr const char *kLoops = R"(
class A : public Vertex {
public:
  Input<Vector<float>> x;
  Output<Vector<float>> product;
  Output<Vector<half>> rounded;
  Output<float> sum;
  bool compute() {
    float all = 0;
    for (unsigned i = 0; i < x.size(); ++i) {
      product[i] = x[i] * x[i] + 1.0f / x[i];
      rounded[i] = static_cast<half>(x[i]) * static_cast<half>(1.7f) + static_cast<half>(x[i]);
      all += x[i] * 1.1f;
    }
    *sum = all;
    return true;
  }
};
)";

std::vector<std::uint32_t> bitsOfLoops() {
  constexpr std::size_t kCount = 203;
  const OpenModule module(test::compiled(kLoops, Architecture::Ipu2));
  TileMemory tile(21);
  std::vector<float> x(kCount);
  for (std::size_t i = 0; i < kCount; ++i)
    x[i] = 0.37f * static_cast<float>(i) - 30.1f;
  const auto product = tile.place(std::vector<float>(kCount));
  const auto rounded = tile.place(std::vector<std::uint16_t>(kCount));
  const auto sum = tile.place(std::vector<float>(1));
  VertexState state(tile, module.vertex("A"));
  state.span("x", tile.place(x), kCount)
      .span("product", product, kCount)
      .span("rounded", rounded, kCount)
      .set("sum", sum);
  module.entry("A")(state.native(), 0);
  std::vector<std::uint32_t> bits;
  for (const float value : tile.read<float>(product, kCount))
    bits.push_back(std::bit_cast<std::uint32_t>(value));
  for (const std::uint16_t half : tile.read<std::uint16_t>(rounded, kCount))
    bits.push_back(half);
  bits.push_back(*tile.at<std::uint32_t>(sum));
  return bits;
}

/// Expects that \p bits returns the same at all levels that this machine has.
void expectSameAtAllLevels(const std::function<std::vector<std::uint32_t>()> &bits) {
  const auto expected = bits();
  for (const std::string name : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4+fp16"}) {
    const Level level(name);
    try {
      cpuLevelForCodelets();
    } catch (const CompileError &) {
      continue; // above this machine
    }
    EXPECT_EQ(bits(), expected) << name;
  }
}

TEST_F(CpuLevel, AllLevelsGiveTheSameBits) { expectSameAtAllLevels(bitsOfLoops); }

constexpr const char *kHalves = R"(
#include <cmath>
class A : public Vertex {
public:
  Input<Vector<half>> x, y;
  Output<Vector<half>> sum, difference, product, quotient, root, rounded;
  Output<Vector<unsigned char>> less;
  bool compute() {
    for (unsigned i = 0; i < x.size(); ++i) {
      sum[i] = x[i] + y[i];
      difference[i] = x[i] - y[i];
      product[i] = x[i] * y[i];
      quotient[i] = x[i] / y[i];
      root[i] = std::sqrt(x[i]);
      rounded[i] = static_cast<half>(static_cast<float>(x[i]) * 1.0003f + static_cast<float>(y[i]));
      less[i] = x[i] < y[i];
    }
    return true;
  }
};
)";

constexpr std::uint16_t kHalfNaN = 0x7E00;

/// Returns bits for all halves and some others. All NaNs count as the same.
std::vector<std::uint32_t> bitsOfHalves() {
  constexpr std::uint32_t kAll = 1 << 16, kCount = 1 << 13;
  const OpenModule module(test::compiled(kHalves, Architecture::Ipu2));
  std::vector<std::uint32_t> bits;
  for (std::uint32_t first = 0; first < kAll; first += kCount) {
    std::vector<std::uint16_t> x(kCount), y(kCount);
    for (std::uint32_t i = 0; i < kCount; ++i) {
      x[i] = static_cast<std::uint16_t>(first + i);
      y[i] = static_cast<std::uint16_t>(40503 * (first + i) >> 3);
    }
    TileMemory tile(21);
    VertexState state(tile, module.vertex("A"));
    state.span("x", tile.place(x), kCount).span("y", tile.place(y), kCount);
    std::vector<std::uint32_t> outputs;
    for (const char *name : {"sum", "difference", "product", "quotient", "root", "rounded"}) {
      outputs.push_back(tile.place(std::vector<std::uint16_t>(kCount)));
      state.span(name, outputs.back(), kCount);
    }
    const auto less = tile.place(std::vector<std::uint8_t>(kCount));
    state.span("less", less, kCount);
    module.entry("A")(state.native(), 0);
    for (const std::uint32_t output : outputs)
      for (const std::uint16_t half : tile.read<std::uint16_t>(output, kCount))
        bits.push_back((half & 0x7FFF) > 0x7C00 ? kHalfNaN : half);
    for (const std::uint8_t one : tile.read<std::uint8_t>(less, kCount))
      bits.push_back(one);
  }
  return bits;
}

TEST_F(CpuLevel, HalvesOfAllLevelsHaveTheSameBits) { expectSameAtAllLevels(bitsOfHalves); }

} // namespace
} // namespace copse::popc
