#include "tile_memory.hpp"

#include "popc/arch.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace copse::popc {
namespace {

using test::OpenModule;
using test::TileMemory;
using test::VertexState;

class RunCodelets : public ::testing::Test {
protected:
  test::OwnCache cache_;
};

std::vector<float> ramp(std::size_t count, float step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(i) * step - 3.0f;
  return values;
}

constexpr const char *kAdd = R"(
class Add : public Vertex {
  Input<Vector<float>> a;
  Input<Vector<float, VectorLayout::ONE_PTR>> b;
  Output<Vector<float>> c;
  const float scale;
public:
  bool compute() {
    for (unsigned i = 0; i < a.size(); ++i)
      c[i] = a[i] + b[i] * scale;
    return a.size() != 0;
  }
};
)";

class RunCodeletsOn : public RunCodelets, public ::testing::WithParamInterface<Architecture> {};

TEST_P(RunCodeletsOn, ComputesOverTileMemoryWithPrivateFields) {
  const OpenModule module(test::compiled(kAdd, GetParam()));
  TileMemory tile(traitsOf(GetParam()).slotBits);
  const auto a = ramp(37, 0.5f), b = ramp(37, 2.25f);
  const auto c = tile.place(std::vector<float>(37));
  VertexState state(tile, module.vertex("Add"));
  state.span("a", tile.place(a), 37).set("b", tile.place(b)).span("c", c, 37).set("scale", 0.5f);
  EXPECT_TRUE(module.entry("Add")(state.native(), 0));
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(tile.at<float>(c)[i], a[i] + b[i] * 0.5f) << i;
}

INSTANTIATE_TEST_SUITE_P(Targets, RunCodeletsOn,
                         ::testing::Values(Architecture::Cpu, Architecture::Ipu1,
                                           Architecture::Ipu2, Architecture::Ipu21),
                         [](const auto &p) { return std::string(traitsOf(p.param).name); });

TEST_F(RunCodelets, ReturnTheResultOfCompute) {
  const OpenModule module(test::compiled(
      "class No : public Vertex { public: int n; bool compute() { return n > 5; } };\n"
      "class Nothing : public Vertex { public: Output<int> o; void compute() { *o = 9; } };\n"
      "class Auto : public Vertex { public: int n; auto compute() { return n; } };",
      Architecture::Ipu2));
  TileMemory tile(21);
  VertexState no(tile, module.vertex("No"));
  EXPECT_FALSE(module.entry("No")(no.set("n", 5).native(), 0));
  EXPECT_TRUE(module.entry("No")(no.set("n", 6).native(), 0));
  const auto o = tile.place(std::vector<int>(1));
  VertexState nothing(tile, module.vertex("Nothing"));
  EXPECT_TRUE(module.entry("Nothing")(nothing.set("o", o).native(), 0));
  EXPECT_EQ(*tile.at<int>(o), 9);
  VertexState automatic(tile, module.vertex("Auto"));
  EXPECT_TRUE(module.entry("Auto")(automatic.set("n", 256).native(), 0));
  EXPECT_FALSE(module.entry("Auto")(automatic.set("n", 0).native(), 0));
}

TEST_F(RunCodelets, MultiVertexGetsTheWorkersNumber) {
  const OpenModule module(test::compiled("class M : public MultiVertex { public: "
                                         "InOut<Vector<unsigned>> v; bool compute(unsigned w) {\n"
                                         "  for (unsigned i = w; i < v.size(); i += numWorkers()) "
                                         "v[i] = v[i] * 10 + w; return true; } };",
                                         Architecture::Ipu2));
  TileMemory tile(21);
  std::vector<unsigned> values(20);
  std::iota(values.begin(), values.end(), 0u);
  const auto v = tile.place(values);
  VertexState state(tile, module.vertex("M"));
  state.span("v", v, 20);
  for (unsigned worker = 0; worker < 6; ++worker)
    EXPECT_TRUE(module.entry("M")(state.native(), worker));
  for (unsigned i = 0; i < 20; ++i)
    EXPECT_EQ(tile.at<unsigned>(v)[i], i * 10 + i % 6);
}

TEST_F(RunCodelets, AcceptNestedVectorsInEverySpelling) {
  const OpenModule module(test::compiled(R"(
class Rows : public Vertex {
public:
  Vector<Input<Vector<int>>> in;
  Vector<Output<Vector<int, VectorLayout::ONE_PTR>>, VectorLayout::ONE_PTR> out;
  Vector<Input<int>> one;
  bool compute() {
    unsigned r = 0;
    for (const auto &row : in) {
      auto o = out[r];
      for (unsigned i = 0; i < row.size(); ++i)
        o[i] = row[i] + *one[r];
      ++r;
    }
    const auto &first = in[0];
    auto &same = in[0];
    auto &target = out[0];
    target[0] += first[0] + same->size();
    return one[0] < one[1];
  }
};)",
                                         Architecture::Ipu2));
  TileMemory tile(21);
  const auto row0 = tile.place(std::vector<int>{1, 2, 3}), row1 = tile.place(std::vector<int>{7});
  const auto in = tile.place(std::vector<std::uint32_t>{row0, 3, row1, 1});
  const auto out0 = tile.place(std::vector<int>(3)), out1 = tile.place(std::vector<int>(1));
  const auto out = tile.place(std::vector<std::uint32_t>{out0, out1});
  const auto x = tile.place(std::vector<int>{100}), y = tile.place(std::vector<int>{200});
  const auto one = tile.place(std::vector<std::uint32_t>{x, y});
  VertexState state(tile, module.vertex("Rows"));
  state.span("in", in, 2).set("out", out).span("one", one, 2);
  EXPECT_TRUE(module.entry("Rows")(state.native(), 0));
  EXPECT_EQ(tile.read<int>(out0, 3), (std::vector<int>{101 + 1 + 3, 102, 103}));
  EXPECT_EQ(tile.read<int>(out1, 1), (std::vector<int>{207}));
}

/// Sums one compressed field; the state is written by hand, as guide 4.2 draws it.
float sumOf(const std::string &declaration, Architecture arch, const std::vector<float> &values,
            void (*encode)(VertexState &, std::uint32_t address, std::uint32_t count)) {
  const OpenModule module(
      test::compiled("class V : public Vertex { public: char pad; " + declaration +
                         " unsigned n; Output<float> o; bool compute() { float s = 0;\n"
                         "for (unsigned i = 0; i < n; ++i) s += f[i]; *o = s; return true; } };",
                     arch));
  TileMemory tile(21);
  const auto data = tile.place(values), o = tile.place(std::vector<float>(1));
  const auto count = static_cast<std::uint32_t>(values.size());
  VertexState state(tile, module.vertex("V"));
  state.set("n", count).set("o", o);
  encode(state, data, count);
  module.entry("V")(state.native(), 0);
  return *tile.at<float>(o);
}

TEST_F(RunCodelets, DecodesShortSpan) {
  EXPECT_EQ(sumOf("Input<Vector<float, VectorLayout::SHORT_SPAN>> f;", Architecture::Ipu2,
                  {1, 2, 4.5f},
                  [](VertexState &s, std::uint32_t address, std::uint32_t count) {
                    s.set("f", address | count << 20);
                  }),
            7.5f);
}

TEST_F(RunCodelets, DecodesScaledPointers) {
  EXPECT_EQ(sumOf("Input<Vector<float, VectorLayout::SCALED_PTR32>> f;", Architecture::Ipu1,
                  {1, 2, 4},
                  [](VertexState &s, std::uint32_t address, std::uint32_t) {
                    s.set("f", static_cast<std::uint16_t>((address & ~0x40000u) >> 2));
                  }),
            7.0f);
  EXPECT_EQ(sumOf("Input<Vector<float, VectorLayout::SCALED_PTR64>> f;", Architecture::Ipu1,
                  {1, 2, 8},
                  [](VertexState &s, std::uint32_t address, std::uint32_t) {
                    s.set("f", static_cast<std::uint16_t>(address >> 3));
                  }),
            11.0f);
  EXPECT_EQ(sumOf("Input<Vector<float, VectorLayout::SCALED_PTR128>> f;", Architecture::Ipu2,
                  {1, 2, 16},
                  [](VertexState &s, std::uint32_t address, std::uint32_t) {
                    s.set("f", static_cast<std::uint16_t>(address >> 4));
                  }),
            19.0f);
}

constexpr const char *kListSum = R"(
class L : public Vertex {
public:
  Input<VectorList<float, VectorListLayout::COMPACT_DELTAN>> f;
  Output<Vector<float>> o;
  bool compute() {
    for (unsigned r = 0; r < f.size(); ++r) {
      float s = 0;
      for (unsigned i = 0; i < f[r].size(); ++i)
        s += f[r][i];
      o[r] = s;
    }
    unsigned rows = 0;
    for (const auto &row : f)
      rows += row.size() < 100;
    return rows == f.size();
  }
};)";

TEST_F(RunCodelets, DecodesDeltaN) {
  const OpenModule module(test::compiled(kListSum, Architecture::Ipu1));
  TileMemory tile(21);
  const auto data = tile.place(std::vector<float>{1, 2, 3, 4, 5});
  const auto o = tile.place(std::vector<float>(2));
  // Bits 0-17 offset in bytes, bits 18-31 count.
  const auto table = tile.place(std::vector<std::uint32_t>{0u | 2u << 18, 8u | 3u << 18});
  VertexState state(tile, module.vertex("L"));
  state.set("f", data | 2u << 20).set("f", static_cast<std::uint16_t>((table & ~0x40000u) >> 2), 4);
  state.span("o", o, 2);
  EXPECT_TRUE(module.entry("L")(state.native(), 0));
  EXPECT_EQ(tile.read<float>(o, 2), (std::vector<float>{3, 12}));
}

TEST_F(RunCodelets, DecodesDeltaNElements) {
  const OpenModule module(test::compiled(kListSum, Architecture::Ipu2));
  TileMemory tile(21);
  const auto data = tile.place(std::vector<float>{1, 2, 3, 4, 5});
  constexpr std::uint32_t kRows = 0x102;                 // both halves of the count are used
  std::vector<std::uint32_t> rows(kRows, 1u | 2u << 19); // 19 bits of offset for 4-byte data
  rows[0] = 0u | 5u << 19;
  const auto table = tile.place(rows), o = tile.place(std::vector<float>(kRows));
  VertexState state(tile, module.vertex("L"));
  state.set("f", data | (kRows >> 8) << 24).set("f", table | (kRows & 0xFF) << 24, 4);
  state.span("o", o, kRows);
  EXPECT_TRUE(module.entry("L")(state.native(), 0));
  EXPECT_EQ(tile.at<float>(o)[0], 15.0f);
  EXPECT_EQ(tile.at<float>(o)[kRows - 1], 5.0f);
}

TEST_F(RunCodelets, ListOfCpuIsSpansOfSpans) {
  const OpenModule module(test::compiled(kListSum, Architecture::Cpu));
  TileMemory tile(32);
  const auto row0 = tile.place(std::vector<float>{1, 2}), row1 = tile.place(std::vector<float>{5});
  const auto table = tile.place(std::vector<std::uint32_t>{row0, 2, row1, 1});
  const auto o = tile.place(std::vector<float>(2));
  VertexState state(tile, module.vertex("L"));
  state.span("f", table, 2).span("o", o, 2);
  EXPECT_TRUE(module.entry("L")(state.native(), 0));
  EXPECT_EQ(tile.read<float>(o, 2), (std::vector<float>{3, 5}));
}

std::size_t countIn(const std::vector<std::byte> &bytes, const std::string &word) {
  const std::string text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

// Compile time matters, too: with a copy in the entry and one of the instantiation, everything
// would be compiled twice.
TEST_F(RunCodelets, HaveTheCodeOfAnInstantiationOnce) {
  const std::string source = R"(#ifdef __IPU__ // where it would be assembly of the tile
#define MARK(text)
#else
#define MARK(text) asm volatile(".pushsection .rodata\n.ascii \"" text "\"\n.popsection")
#endif
template <class T> class Small : public Vertex { public: T n;
  bool compute() { MARK("code-of-small"); return n > T(1); } };
template class Small<int>;
template <class T> class Many : public MultiVertex { public: Output<Vector<T>> o;
  void compute(unsigned worker) { MARK("code-of-many"); o[worker] = T(worker); } };
template class Many<float>;)";
  const Module marked = test::compiled(source, Architecture::Cpu);
  EXPECT_EQ(countIn(marked.elf, "code-of-small"), 1u);
  EXPECT_EQ(countIn(marked.elf, "code-of-many"), 1u);
  const Module compiled = test::compiled(source, Architecture::Ipu2);
  const OpenModule module(compiled);
  TileMemory tile(21);
  VertexState small(tile, module.vertex("Small<int>"));
  EXPECT_FALSE(module.entry("Small<int>")(small.set("n", 1).native(), 0));
  EXPECT_TRUE(module.entry("Small<int>")(small.set("n", 2).native(), 0));
  const auto o = tile.place(std::vector<float>(6));
  VertexState many(tile, module.vertex("Many<float>"));
  many.span("o", o, 6);
  EXPECT_TRUE(module.entry("Many<float>")(many.native(), 5));
  EXPECT_EQ(tile.at<float>(o)[5], 5.0f);
}

TEST_F(RunCodelets, InstancesInNestedNamespacesAreSeparateEntries) {
  const OpenModule module(test::compiled(
      "namespace a { namespace b { enum class Op { Double, Negate };\n"
      "template <class T, Op op> class Map : public Vertex { InOut<T> x; bool compute() {\n"
      "  *x = op == Op::Double ? *x + *x : -*x; return true; } };\n"
      "template class Map<int, Op::Double>; template class Map<int, Op::Negate>; } }",
      Architecture::Ipu2));
  TileMemory tile(21);
  const auto x = tile.place(std::vector<int>{21});
  VertexState state(tile, module.vertex("a::b::Map<int,a::b::Op::Double>"));
  state.set("x", x);
  module.entry("a::b::Map<int,a::b::Op::Double>")(state.native(), 0);
  module.entry("a::b::Map<int,a::b::Op::Negate>")(state.native(), 0);
  EXPECT_EQ(*tile.at<int>(x), -42);
}

TEST_F(RunCodelets, StandardHeadersNeedNoExceptionsAndNoLibrary) {
  const OpenModule module(test::compiled(
      "#include <algorithm>\n#include <cmath>\n#include <functional>\n#include <limits>\n#include "
      "<tuple>\n"
      "class A : public Vertex { public: InOut<Vector<float>> v; bool compute() {\n"
      "std::sort(v.begin(), v.end(), std::greater<float>()); return std::isfinite(v[0]); } };",
      Architecture::Ipu2));
  TileMemory tile(21);
  const auto v = tile.place(std::vector<float>{2, 9, 4, 7});
  VertexState state(tile, module.vertex("A"));
  EXPECT_TRUE(module.entry("A")(state.span("v", v, 4).native(), 0));
  EXPECT_EQ(tile.read<float>(v, 4), (std::vector<float>{9, 7, 4, 2}));
}

TEST_F(RunCodelets, ProductAndSumAreRoundedApart) {
  const OpenModule module(test::compiled(
      "class A : public Vertex { public: float x, y; Output<float> o; bool compute() {\n"
      "*o = x * x + y; return true; } };",
      Architecture::Ipu2));
  TileMemory tile(21);
  const auto o = tile.place(std::vector<float>{1});
  VertexState state(tile, module.vertex("A"));
  state.set("x", 1.0f + 0x1p-12f).set("y", -1.0f - 0x1p-11f).set("o", o);
  module.entry("A")(state.native(), 0);
  EXPECT_EQ(*tile.at<float>(o), 0.0f); // fused, it would be 2^-24
}

TEST_F(RunCodelets, ModuleListsItsRequirements) {
  const OpenModule module(test::compiled(kAdd, Architecture::Ipu2));
  const auto *info = static_cast<const char *>(module.symbol(wire::kModuleInfoSymbol));
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(std::string(info).substr(0, 16), "slotBits=21;cpu=");
}

TEST_F(RunCodelets, DefinesTheMacrosOfTheTarget) {
  const char *source =
      "#if !defined(__POPC__) || !defined(__IPU__) || __IPU_ARCH_VERSION__ != WANT\n"
      "#error wrong\n#endif\nclass A : public Vertex { bool compute() { return true; } };";
  EXPECT_NO_THROW(test::compiled(source, Architecture::Ipu1, {"-DWANT=1"}));
  EXPECT_NO_THROW(test::compiled(source, Architecture::Ipu2, {"-DWANT=2"}));
  EXPECT_THROW(test::compiled(source, Architecture::Ipu2, {"-DWANT=1"}), CompileError);
  EXPECT_THROW(test::compiled(source, Architecture::Ipu2, {"-DWANT=2", "-U__IPU__"}), CompileError);
  EXPECT_NO_THROW(test::compiled("#if !defined(__POPC__) || defined(__IPU__) || "
                                 "defined(__IPU_ARCH_VERSION__)\n#error wrong\n#endif\n",
                                 Architecture::Cpu));
}

} // namespace
} // namespace copse::popc
