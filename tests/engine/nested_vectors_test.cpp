// Tests that vectors of vectors reach codelets in every pair of layouts, on Mk1, Mk2 and CPU.
#include "chip_devices.hpp"
#include "devices.hpp"

#include <numeric>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

constexpr const char *kNestedVectorsCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
template <VectorLayout Outer, VectorLayout Inner> class Rows : public Vertex {
public:
  Vector<Input<Vector<int, Inner, 16>>, Outer> in;
  Vector<InOut<Vector<int, Inner, 16>>, Outer> out;
  Vector<unsigned short> sizes;
  bool compute() {
    for (unsigned r = 0; r < sizes.size(); ++r)
      for (unsigned i = 0; i < sizes[r]; ++i)
        out[r][i] = 100 * in[r][i] + static_cast<int>(r);
    return true;
  }
};
// Its own: no edges, but state that was given to it and that it may change.
template <VectorLayout Outer, VectorLayout Inner> class Tables : public Vertex {
public:
  Vector<Vector<short, Inner>, Outer> tables;
  Output<Vector<int>> out;
  Vector<unsigned short> sizes;
  bool compute() {
    unsigned next = 0;
    for (unsigned r = 0; r < sizes.size(); ++r)
      for (unsigned i = 0; i < sizes[r]; ++i)
        out[next++] = 1000 * static_cast<int>(r) + tables[r][i]++;
    return true;
  }
};
#define WITHIN(outer)                                                                              \
  TABLES(outer)                                                                                    \
  template class Rows<VectorLayout::outer, VectorLayout::SPAN>;                                    \
  template class Rows<VectorLayout::outer, VectorLayout::SHORT_SPAN>;                              \
  template class Rows<VectorLayout::outer, VectorLayout::ONE_PTR>;                                 \
  template class Rows<VectorLayout::outer, VectorLayout::SCALED_PTR128>;                           \
  template class Rows<VectorLayout::outer, VectorLayout::COMPACT_PTR>;                             \
  MK1_ONLY(outer)
#define TABLES(outer)                                                                              \
  template class Tables<VectorLayout::outer, VectorLayout::SPAN>;                                  \
  template class Tables<VectorLayout::outer, VectorLayout::ONE_PTR>;                               \
  template class Tables<VectorLayout::outer, VectorLayout::COMPACT_PTR>;
#ifdef VECTOR_AVAIL_SCALED_PTR32
#define MK1_ONLY(outer)                                                                            \
  template class Rows<VectorLayout::outer, VectorLayout::SCALED_PTR32>;                            \
  template class Rows<VectorLayout::outer, VectorLayout::SCALED_PTR64>;
WITHIN(SCALED_PTR32)
WITHIN(SCALED_PTR64)
#else
#define MK1_ONLY(outer)
#endif
WITHIN(SPAN)
WITHIN(SHORT_SPAN)
WITHIN(ONE_PTR)
WITHIN(SCALED_PTR128)
WITHIN(COMPACT_PTR)
)";

struct NestedTarget {
  const char *name, *version;
  std::vector<const char *> layouts;
};

class NestedVectors : public ::testing::TestWithParam<NestedTarget> {
protected:
  static constexpr std::size_t kRows = 4, kElements = 9;
  static constexpr std::size_t kSizes[kRows] = {3, 0, 5, 1};

  NestedVectors() : device_(deviceOfChip(GetParam().version)), graph_(device_) {
    std::stringstream source(kNestedVectorsCodelets);
    graph_.addCodelets(source);
  }
  /// Returns rows, one of which lies on another tile than the vertex if there are several tiles.
  std::vector<Tensor> rows(const std::string &name) {
    std::vector<Tensor> rows;
    for (std::size_t r = 0; r < kRows; ++r) {
      rows.push_back(graph_.addVariable(INT, {kSizes[r]}, name));
      graph_.setTileMapping(rows.back(), r == 2 ? graph_.getTarget().getNumTiles() - 1 : 0);
    }
    return rows;
  }
  void addVertex(ComputeSet set, const std::string &outer, const std::string &inner) {
    const std::string pair = outer + "," + inner;
    const auto in = rows(pair + "/in"), out = rows(pair + "/out");
    graph_.createHostWrite(pair + "/in", concat(in));
    graph_.createHostRead(pair + "/out", concat(out));
    const VertexRef v = graph_.addVertex(set, "Rows<poplar::VectorLayout::" + outer +
                                                  ",poplar::VectorLayout::" + inner + ">");
    graph_.connect(v["in"], in);
    graph_.connect(v["out"], out);
    graph_.setInitialValue(v["sizes"], std::vector<unsigned short>(kSizes, kSizes + kRows));
    graph_.setTileMapping(v, 0);
  }
  Device device_;
  Graph graph_;
};

TEST_P(NestedVectors, ReachCodeletsInEveryPairOfLayouts) {
  const ComputeSet set = graph_.addComputeSet("set");
  for (const char *outer : GetParam().layouts)
    for (const char *inner : GetParam().layouts)
      addVertex(set, outer, inner);
  Engine engine(graph_, Execute(set));
  engine.load(device_);
  std::vector<int> in(kElements), out(kElements);
  std::iota(in.begin(), in.end(), 1);
  const auto forEachPair = [&](auto use) {
    for (const char *outer : GetParam().layouts)
      for (const char *inner : GetParam().layouts)
        use(std::string(outer) + "," + inner);
  };
  forEachPair([&](const std::string &pair) {
    engine.writeTensor(pair + "/in", in.data(), in.data() + in.size());
  });
  engine.run(0);
  forEachPair([&](const std::string &pair) {
    engine.readTensor(pair + "/out", out.data(), out.data() + out.size());
    EXPECT_THAT(out, ::testing::ElementsAre(100, 200, 300, 402, 502, 602, 702, 802, 903)) << pair;
  });
}

TEST_P(NestedVectors, HoldStateThatStaysAsTheVertexLeavesIt) {
  const ComputeSet set = graph_.addComputeSet("tables");
  const std::vector<std::vector<int>> tables{{1, -2, 3}, {}, {4, 5, 6, 7, 8}, {9}};
  for (const char *outer : GetParam().layouts)
    for (const char *inner : {"SPAN", "ONE_PTR", "COMPACT_PTR"}) {
      const std::string pair = std::string(outer) + "," + inner;
      const Tensor out = graph_.addVariable(INT, {kElements}, pair);
      graph_.setTileMapping(out, 0);
      graph_.createHostRead(pair, out);
      const VertexRef v =
          graph_.addVertex(set, "Tables<poplar::VectorLayout::" + std::string(outer) +
                                    ",poplar::VectorLayout::" + inner + ">");
      graph_.setInitialValue(v["tables"], tables);
      graph_.connect(v["out"], out);
      graph_.setInitialValue(v["sizes"], std::vector<unsigned short>(kSizes, kSizes + kRows));
      graph_.setTileMapping(v, 0);
    }
  Engine engine(graph_, Repeat(2, Execute(set)));
  const std::vector<int> afterTwo{2, -1, 4, 2005, 2006, 2007, 2008, 2009, 3010};
  std::vector<int> afterFour = afterTwo;
  for (int &x : afterFour)
    x += 2;
  unsigned runs = 0;
  for (const auto &expected : {afterTwo, afterFour, afterTwo}) {
    if (runs++ % 2 == 0)
      engine.load(device_); // the values are unchanged
    engine.run(0);
    for (const char *outer : GetParam().layouts)
      for (const char *inner : {"SPAN", "ONE_PTR", "COMPACT_PTR"}) {
        std::vector<int> out(kElements);
        const std::string pair = std::string(outer) + "," + inner;
        engine.readTensor(pair, out.data(), out.data() + out.size());
        EXPECT_EQ(out, expected) << pair;
      }
  }
}

TEST_P(NestedVectors, HoldStateOfConstantsThatEstimatorsKnow) {
  const std::string type = "Tables<poplar::VectorLayout::SPAN,poplar::VectorLayout::SPAN>";
  const Tensor table = graph_.addConstant<short>(SHORT, {2, 2}, {1, 2, 3, 4});
  const Tensor out = graph_.addVariable(INT, {4}, "out"),
               variable = graph_.addVariable(SHORT, {2, 2});
  graph_.setTileMapping(table, 0);
  graph_.setTileMapping(out, 0);
  graph_.createHostRead("out", out);
  const ComputeSet set = graph_.addComputeSet("set");
  const VertexRef v = graph_.addVertex(set, type, {{"tables", table}, {"out", out}});
  graph_.setInitialValue(v["sizes"], std::vector<unsigned short>{2, 2});
  graph_.setTileMapping(v, 0);
  EXPECT_THROW(graph_.connect(v["tables"], variable), graph_connection_error);
  EXPECT_THROW(graph_.connect(v["tables"], table.flatten()), graph_connection_error);
  std::vector<std::vector<int>> seen;
  graph_.registerPerfEstimator(type, [&](const VertexIntrospector &vertex, const Target &target) {
    seen = vertex.getFieldInfo("tables").getInitialValues<std::vector<int>>(target);
    return 10;
  });
  Engine engine(graph_, Execute(set));
  engine.loadAndRun(device_);
  std::vector<int> got(4);
  engine.readTensor("out", got.data(), got.data() + 4);
  EXPECT_THAT(got, ::testing::ElementsAre(1, 2, 1003, 1004));
  if (graph_.getTarget().getTargetType() == TargetType::CPU)
    EXPECT_TRUE(seen.empty()) << "estimators are of IPUs";
  else
    EXPECT_EQ(seen, (std::vector<std::vector<int>>{{1, 2}, {3, 4}}));
}

INSTANTIATE_TEST_SUITE_P(
    Targets, NestedVectors,
    ::testing::Values(
        NestedTarget{"Mk1",
                     "ipu1",
                     {"SPAN", "SHORT_SPAN", "ONE_PTR", "SCALED_PTR32", "SCALED_PTR64",
                      "SCALED_PTR128", "COMPACT_PTR"}},
        NestedTarget{
            "Mk2", "ipu2", {"SPAN", "SHORT_SPAN", "ONE_PTR", "SCALED_PTR128", "COMPACT_PTR"}},
        NestedTarget{"Cpu", "", {"SPAN", "SHORT_SPAN", "ONE_PTR", "SCALED_PTR128", "COMPACT_PTR"}}),
    [](const auto &p) { return std::string(p.param.name); });

} // namespace
} // namespace copse::test
