#include "devices.hpp"

#include <numeric>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::Each;
using ::testing::ElementsAre;

constexpr const char *kVertexCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class Add : public Vertex {
public:
  Input<Vector<float>> a, b;
  Output<Vector<float>> c;
  bool compute() {
    for (unsigned i = 0; i < c.size(); ++i) c[i] = a[i] + b[i];
    return true;
  }
};
class Rows : public Vertex {
public:
  Vector<Input<Vector<int, VectorLayout::ONE_PTR>>> rows;
  Vector<unsigned> sizes;
  Output<int> sum;
  int scale;
  bool compute() {
    int s = 0;
    for (unsigned r = 0; r < rows.size(); ++r)
      for (unsigned i = 0; i < sizes[r]; ++i) s += rows[r][i];
    *sum = scale * s;
    return true;
  }
};
class Workers : public MultiVertex {
public:
  Output<Vector<unsigned>> seen;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < seen.size(); i += MultiVertex::numWorkers()) seen[i] = 100 + i;
    return true;
  }
};
class Scalars : public Vertex {
public:
  Vector<InOut<int>> each;
  bool compute() {
    for (unsigned i = 0; i < each.size(); ++i) *each[i] *= 2;
    return true;
  }
};
class IsPositive : public Vertex {
public:
  Input<int> x;
  bool compute() { return *x > 0; }
};
)";

class Vertices : public OnEveryDevice {
protected:
  Vertices() {
    std::stringstream source(kVertexCodelets);
    graph_.addCodelets(source);
    set_ = graph_.addComputeSet("set");
  }
  VertexRef vertex(const char *type, ArrayRef<Graph::ConnectionDesc> connections,
                   unsigned tile = 0) {
    const VertexRef v = graph_.addVertex(set_, type, connections);
    graph_.setTileMapping(v, tile);
    return v;
  }
  ComputeSet set_;
};
INSTANTIATE_TEST_SUITE_P(Devices, Vertices, ::testing::ValuesIn(kDevices), deviceName);

TEST_P(Vertices, UseLocalDataInPlace) {
  const Tensor a = graph_.addVariable(FLOAT, {64}, "a"), b = graph_.addVariable(FLOAT, {64}, "b");
  for (const Tensor &t : {a, b})
    graph_.setTileMapping(t, 0);
  graph_.setInitialValue(a, 1.0f);
  graph_.setInitialValue(b, 2.0f);
  graph_.createHostRead("b", b);
  vertex("Add", {{"a", a}, {"b", a}, {"c", b}});
  Engine engine = load(Execute(set_));
  engine.run();
  EXPECT_THAT(read<float>(engine, "b", 64), Each(2.0f));
}

TEST_P(Vertices, UseDataFromOtherTilesAndIpus) {
  const Tensor a = hostVariable(FLOAT, {2, 3}, "a"), c = hostVariable(FLOAT, {6}, "c", 1);
  vertex("Add", {{"a", a.flatten()}, {"b", a.transpose().flatten()}, {"c", c.reverse(0)}},
         graph_.getTarget().getNumTiles() - 1);
  Engine engine = load(Execute(set_));
  write<float>(engine, "a", {1, 2, 3, 4, 5, 6});
  engine.run(); // a + its transpose is 2 6 5 9 8 12; written backwards
  EXPECT_THAT(read<float>(engine, "c", 6), ElementsAre(12, 8, 9, 5, 6, 2));
}

TEST_P(Vertices, TakeNestedVectorsAndVectorsOfTheirOwn) {
  const Tensor a = hostVariable(INT, {6}, "a"), sum = hostVariable(INT, {}, "sum");
  const VertexRef v = vertex("Rows", {{"rows", {a.slice(0, 3), a.slice(5, 6)}}, {"sum", sum}});
  graph_.setInitialValue(v["sizes"], std::vector<unsigned>{3, 1});
  graph_.setInitialValue(v["scale"], 10);
  Engine engine = load(Execute(set_));
  write<int>(engine, "a", {1, 2, 3, 4, 5, 6});
  engine.run();
  EXPECT_THAT(read<int>(engine, "sum", 1), ElementsAre(120));
}

TEST_P(Vertices, RunOnAllWorkersWhenTheyAreMultiVertices) {
  const Tensor seen = hostVariable(UNSIGNED_INT, {20}, "seen");
  vertex("Workers", {{"seen", seen}});
  Engine engine = load(Execute(set_));
  engine.run();
  std::vector<unsigned> expected(20);
  std::iota(expected.begin(), expected.end(), 100u);
  EXPECT_EQ(read<unsigned>(engine, "seen", 20), expected);
}

TEST_P(Vertices, TakeScalarsFromManyTiles) {
  const Tensor x = hostVariable(INT, {5}, "x");
  vertex("Scalars", {{"each", x}});
  Engine engine = load(Execute(set_));
  write<int>(engine, "x", {1, 2, 3, 4, 5});
  engine.run();
  EXPECT_THAT(read<int>(engine, "x", 5), ElementsAre(2, 4, 6, 8, 10));
}

TEST_P(Vertices, RunOnAllTilesInOneComputeSet) {
  const unsigned tiles = graph_.getTarget().getNumTiles();
  const Tensor x = graph_.addVariable(INT, {tiles}, VariableMappingMethod::LINEAR, "x");
  graph_.setInitialValue(x, 21);
  graph_.createHostRead("x", x);
  for (unsigned tile = 0; tile < tiles; ++tile)
    vertex("Scalars", {{"each", x.slice(tile, tile + 1)}}, tile);
  Engine engine = load(Execute(set_));
  engine.run();
  EXPECT_THAT(read<int>(engine, "x", tiles), Each(42));
}

TEST_P(Vertices, AgreeOnTheResultOfAComputeSet) {
  const Target &target = graph_.getTarget();
  const unsigned n = 2 * target.getNumIPUs();
  const Tensor x = hostVariable(INT, {n}, "x"), all = hostVariable(BOOL, {}, "all", n - 1);
  for (unsigned i = 0; i < n; ++i)
    vertex("IsPositive", {{"x", x[i]}}, i % target.getNumIPUs() * target.getTilesPerIPU());
  Engine engine = load(Execute(set_, all));
  for (unsigned wrong = 0; wrong <= n; ++wrong) {
    std::vector<int> values(n, 1);
    if (wrong < n)
      values[wrong] = 0;
    write(engine, "x", values);
    engine.run();
    EXPECT_THAT(read<char>(engine, "all", 1), ElementsAre(wrong == n)) << wrong;
  }
}

TEST_P(Vertices, GiveTheResultOfAComputeSetToSeveralPredicates) {
  const Tensor x = hostVariable(INT, {}, "x");
  const Tensor first = hostVariable(BOOL, {}, "first"),
               second = hostVariable(BOOL, {}, "second", 1);
  vertex("IsPositive", {{"x", x}});
  const Tensor one = graph_.addConstant(INT, {}, 1);
  spread(one);
  Engine engine = load(Sequence({Execute(set_, first), Copy(one, x), Execute(set_, second)}));
  write<int>(engine, "x", {-1});
  engine.run();
  EXPECT_THAT(read<char>(engine, "first", 1), ElementsAre(0));
  EXPECT_THAT(read<char>(engine, "second", 1), ElementsAre(1));
}

} // namespace
} // namespace copse::test
