#include "cpu_level.hpp"
#include "tile_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

namespace copse::popc {
namespace {

using test::OpenModule;
using test::TileMemory;
using test::VertexState;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// COPSE_CPU_LEVEL while it lives.
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

/// Loops that vectorise, with halves and with functions whose rounding a fused multiply-add would change.
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

TEST_F(CpuLevel, AllLevelsGiveTheSameBits) {
  const auto expected = bitsOfLoops();
  for (const std::string name : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    const Level level(name);
    try {
      cpuLevelForCodelets();
    } catch (const CompileError &) {
      continue; // above this machine
    }
    EXPECT_EQ(bitsOfLoops(), expected) << name;
  }
}

} // namespace
} // namespace copse::popc
