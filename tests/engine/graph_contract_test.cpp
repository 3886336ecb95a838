#include "contract_table.hpp"

#include <array>
#include <limits>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using Case = ContractTable::Case;
using Row = ContractTable::Row;

constexpr const char *kGraphContractCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
enum class Mode : unsigned char { Off, On };
class Sum : public Vertex {
public:
  Input<Vector<int>> xs;
  InOut<int> sum;
  bool compute() { for (int x : xs) *sum += x; return true; }
};
class Scaled : public Vertex {
public:
  Input<int> x, factor;
  Input<half> addend;
  InOut<int> sum;
  bool compute() { *sum = *x * *factor + int(float(*addend) * 4); return true; }
};
class SumOfScalars : public Vertex {
public:
  Vector<Input<int>> xs;
  InOut<int> sum;
  bool compute() { for (unsigned i = 0; i < xs.size(); ++i) *sum += xs[i]; return true; }
};
class SumOfRows : public Vertex {
public:
  Vector<Input<Vector<int>>> rows;
  InOut<int> sum;
  bool compute() {
    for (unsigned r = 0; r < rows.size(); ++r)
      for (unsigned i = 0; i < rows[r].size(); ++i)
        *sum += (r + 1) * rows[r][i];
    return true;
  }
};
class State : public Vertex {
public:
  Output<Vector<int>> out;
  bool b;
  char c;
  unsigned char uc;
  short s;
  unsigned short us;
  int i;
  unsigned u;
  long long ll;
  float f;
  half h;
  Mode mode;
  Vector<unsigned short> list;
  bool compute() {
    const int values[] = {b, c, uc, s, us, i, int(u), int(ll >> 32), int(f * 4), int(float(h) * 4), int(mode), list[0] + list[1]};
    for (unsigned n = 0; n < 12; ++n) out[n] = values[n];
    return true;
  }
};
template <typename T, bool Negate, unsigned N> class Store : public Vertex {
public:
  Output<T> out;
  bool compute() { *out = T(Negate ? -int(N) : int(N)); return true; }
};
template class Store<int, true, 3>;
template class Store<float, false, 4>;
)";

/// Adds a vertex on tile 0, in a compute set of its own. \p sum starts at 0.
VertexRef vertex(ContractTable &t, const char *type, Sequence &prog) {
  const ComputeSet set = t.graph().addComputeSet(type);
  const VertexRef v = t.graph().addVertex(set, type);
  t.graph().setTileMapping(v, 0);
  prog.add(Execute(set));
  return v;
}
Tensor sumOf(ContractTable &t, const VertexRef &v) {
  const Tensor sum = t.counted(INT, {});
  t.graph().connect(v["sum"], sum);
  return sum;
}

template <class T>
Case holdsConstant(ContractTable &t, const Tensor &constant, std::vector<T> values) {
  t.mapped(constant);
  const Tensor copy = t.over(constant.elementType(), constant.shape(), 1);
  const auto asCopied = t.becomes<T>(copy, values), asItIs = t.becomes<T>(constant, values);
  return {Copy(constant, copy), [=](ContractTable &table) { asCopied(table), asItIs(table); }};
}

Case initially(ContractTable &t, const Tensor &x, std::vector<int> values) {
  return {Sequence(), t.becomes<int>(x, std::move(values))};
}

const Row kGraphRows[] = {
    {"a single value fills a constant",
     [](ContractTable &t) {
       return holdsConstant<int>(t, t.graph().addConstant(INT, {2, 2}, 7), {7, 7, 7, 7});
     }},
    {"a list gives a constant's elements",
     [](ContractTable &t) {
       return holdsConstant<float>(t, t.graph().addConstant<float>(FLOAT, {3}, {1.5f, 2, -3}),
                                   {1.5f, 2, -3});
     }},
    {"a list of one value is a list",
     [](ContractTable &t) {
       return holdsConstant<float>(t, t.graph().addConstant<float>(FLOAT, {1}, {2.5f}), {2.5f});
     }},
    {"a vector gives a constant's elements",
     [](ContractTable &t) {
       return holdsConstant<unsigned>(
           t, t.graph().addConstant(UNSIGNED_INT, {2}, std::vector<unsigned>{5, 6}), {5, 6});
     }},
    {"a pointer gives a constant's elements",
     [](ContractTable &t) {
       const std::vector<int> values{4, 5, 6, 7};
       return holdsConstant<short>(t, t.graph().addConstant(SHORT, {2, 2}, values.data()),
                                   {4, 5, 6, 7});
     }},
    {"constants are converted by value",
     [](ContractTable &t) {
       return holdsConstant<float>(
           t, t.graph().addConstant(FLOAT, {2}, std::vector<double>{0.5, 1e10}), {0.5f, 1e10f});
     }},
    {"a BOOL constant is 0 or 1",
     [](ContractTable &t) {
       return holdsConstant<char>(t, t.graph().addConstant<bool>(BOOL, {2}, {true, false}), {1, 0});
     }},
    {"a constant may have no elements",
     [](ContractTable &t) {
       return holdsConstant<int>(t, t.graph().addConstant(INT, {0, 3}, 1), {});
     }},
    {"a LONGLONG constant has 64 bits",
     [](ContractTable &t) {
       return holdsConstant<long long>(t, t.graph().addConstant(LONGLONG, {}, 1LL << 40),
                                       {1LL << 40});
     }},
    {"the replication index of a graph that is not replicated is 0",
     [](ContractTable &t) {
       return holdsConstant<unsigned>(t, t.graph().addReplicationIndexConstant(), {0});
     }},
    {"memory without an initial value is zero",
     [](ContractTable &t) {
       return initially(t, t.over(INT, {3}), {0, 0, 0});
     }},
    {"an initial value fills a tensor",
     [](ContractTable &t) {
       const Tensor x = t.over(INT, {3});
       t.graph().setInitialValue(x, 2.0f);
       return initially(t, x, {2, 2, 2});
     }},
    {"initial values of a view change its elements only",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {2, 3});
       t.graph().setInitialValue<int>(x.transpose()[1], {8, 9});
       t.graph().setInitialValue(x[1][0], 7);
       return initially(t, x, {0, 8, 2, 7, 9, 5});
     }},
    {"initial values come before or after the mapping",
     [](ContractTable &t) {
       const Tensor x = t.graph().addVariable(INT, {2});
       t.graph().setInitialValue(x, ArrayRef<int>({1, 2}));
       return initially(t, t.mapped(x), {1, 2});
     }},
    {"a variable may be mapped linearly when it is made",
     [](ContractTable &t) {
       const Tensor x = t.graph().addVariable(INT, {5}, VariableMappingMethod::LINEAR);
       t.graph().setInitialValue<int>(x, {1, 2, 3, 4, 5});
       return initially(t, x, {1, 2, 3, 4, 5});
     }},
    {"a variable that nothing uses needs no mapping",
     [](ContractTable &t) {
       t.graph().addVariable(INT, {3}, "unused");
       return Case{};
     }},
    {"an edge vector takes a tensor of rank 1",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "Sum", prog);
       t.graph().connect(v["xs"], t.counted(INT, {5}));
       return Case{prog, t.becomes<int>(sumOf(t, v), {10})};
     }},
    {"an edge vector takes pieces one after another",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "Sum", prog);
       const Tensor x = t.counted(INT, {6});
       t.graph().connect(v["xs"], {x.slice(4, 6), x.slice(0, 0), x.slice(1, 2)});
       return Case{prog, t.becomes<int>(sumOf(t, v), {10})};
     }},
    {"an edge vector may be empty",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "Sum", prog);
       t.graph().connect(v["xs"], t.over(INT, {0}));
       return Case{prog, t.becomes<int>(sumOf(t, v), {0})};
     }},
    {"an input may read elements several times",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "Sum", prog);
       t.graph().connect(v["xs"], t.counted(INT, {3}).broadcast(3, 0));
       return Case{prog, t.becomes<int>(sumOf(t, v), {9})};
     }},
    {"an input that nothing is connected to takes an initial value",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "Sum", prog);
       t.graph().setInitialValue(v["xs"], std::vector<int>{20, 3});
       return Case{prog, t.becomes<int>(sumOf(t, v), {23})};
     }},
    {"a scalar edge takes one element of any rank",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "Store<int,true,3>", prog);
       const Tensor x = t.over(INT, {1, 1});
       t.graph().connect(v["out"], x);
       return Case{prog, t.becomes<int>(x, {-3})};
     }},
    {"a vector of scalar edges takes a tensor of rank 1",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "SumOfScalars", prog);
       t.graph().connect(v["xs"], t.counted(INT, {4}));
       return Case{prog, t.becomes<int>(sumOf(t, v), {6})};
     }},
    {"a vector of scalar edges takes them one by one",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "SumOfScalars", prog);
       const Tensor x = t.counted(INT, {4});
       t.graph().setFieldSize(v["xs"], 2);
       t.graph().connect(v["xs"][1], x[3]);
       t.graph().connect(v["xs"][0], x[2]);
       return Case{prog, t.becomes<int>(sumOf(t, v), {5})};
     }},
    {"a vector of vectors takes rows of a matrix",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "SumOfRows", prog);
       t.graph().connect(v["rows"], t.counted(INT, {2, 2}));
       return Case{prog, t.becomes<int>(sumOf(t, v), {1 + 2 * 5})};
     }},
    {"a vector of vectors takes rows of different sizes",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "SumOfRows", prog);
       t.graph().connect(v["rows"], t.counted(INT, {5}).slices({{0, 1}, {2, 2}, {2, 5}}));
       return Case{prog, t.becomes<int>(sumOf(t, v), {3 * 9})};
     }},
    {"a vector of vectors takes its rows one by one",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "SumOfRows", prog);
       const Tensor x = t.counted(INT, {5});
       t.graph().setFieldSize(v["rows"], 2);
       t.graph().connect(v["rows"][0], x.slice(3, 5));
       t.graph().connect(v["rows"][1], x.slice(1, 2));
       return Case{prog, t.becomes<int>(sumOf(t, v), {7 + 2})};
     }},
    {"a number that is connected to an input is a constant",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "Scaled", prog);
       t.graph().connect(v["x"], t.counted(INT, {2})[1]);
       t.graph().connect(v["factor"], 7);
       t.graph().connect(v["addend"], 0.5f);
       return Case{prog, t.becomes<int>(sumOf(t, v), {7 + 2})};
     }},
    {"a number in the list of connections is a constant, too",
     [](ContractTable &t) {
       const ComputeSet set = t.graph().addComputeSet("scaled");
       const Tensor sum = t.counted(INT, {});
       const VertexRef v = t.graph().addVertex(
           set, "Scaled", {{"x", 3}, {"factor", 5u}, {"addend", 1.0}, {"sum", sum}});
       t.graph().setTileMapping(v, t.graph().getTarget().getNumTiles() - 1);
       return Case{Execute(set), t.becomes<int>(sum, {15 + 4})};
     }},
    {"a list of values is the input of a vector",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "Sum", prog);
       t.graph().connect(v["xs"], std::vector<int>{1, 20, 300});
       return Case{prog, t.becomes<int>(sumOf(t, v), {321})};
     }},
    {"lists of values are the inputs of a vector of vectors",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "SumOfRows", prog);
       t.graph().setInitialValue(v["rows"], std::vector<std::vector<int>>{{1, 2}, {}, {10}});
       return Case{prog, t.becomes<int>(sumOf(t, v), {3 + 3 * 10})};
     }},
    {"values are the inputs of a vector of scalars, beside a tensor",
     [](ContractTable &t) {
       Sequence prog;
       const VertexRef v = vertex(t, "SumOfScalars", prog);
       t.graph().setFieldSize(v["xs"], 2);
       t.graph().connect(v["xs"][0], t.counted(INT, {4})[3]);
       t.graph().setInitialValue(v["xs"][1], 50);
       return Case{prog, t.becomes<int>(sumOf(t, v), {53})};
     }},
    {"state fields have the values they were given, of any host type",
     [](ContractTable &t) {
       enum class Mode : unsigned char { Off, On };
       Sequence prog;
       const VertexRef v = vertex(t, "State", prog);
       const Tensor out = t.over(INT, {12});
       Graph &g = t.graph();
       g.connect(v["out"], out);
       g.setInitialValue(v["b"], true), g.setInitialValue(v["c"], -2),
           g.setInitialValue(v["uc"], 200u);
       g.setInitialValue(v["s"], -300), g.setInitialValue(v["us"], std::size_t(65535)),
           g.setInitialValue(v["i"], -70000L);
       g.setInitialValue(v["u"], 80000ull), g.setInitialValue(v["ll"], 5ll << 32),
           g.setInitialValue(v["f"], 1.25);
       g.setInitialValue(v["h"], 2.5f), g.setInitialValue(v["mode"], Mode::On);
       g.setInitialValue<unsigned short>(v["list"], {1000, 234});
       return Case{
           prog, t.becomes<int>(out, {1, -2, 200, -300, 65535, -70000, 80000, 5, 5, 10, 1, 1234})};
     }},
    {"vertex names may have blanks, and connections come with the vertex",
     [](ContractTable &t) {
       const ComputeSet set = t.graph().addComputeSet("store");
       const Tensor x = t.over(FLOAT, {});
       t.graph().setTileMapping(t.graph().addVertex(set, "Store<float, false, 4>", {{"out", x}}),
                                0);
       return Case{Execute(set), t.becomes<float>(x, {4})};
     }},
    {"a virtual graph's tiles are those it was made of",
     [](ContractTable &t) {
       const unsigned tiles = t.graph().getTarget().getNumTiles();
       Graph byRange = t.graph().createVirtualGraph(tiles - 1, tiles);
       const Tensor x = byRange.addVariable(INT, {2}, VariableMappingMethod::LINEAR);
       EXPECT_EQ(byRange.getTarget().getNumTiles(), 1u);
       EXPECT_FALSE(t.graph().getTileMapping(x).back().empty());
       Graph byList = t.graph().createVirtualGraph(std::vector<unsigned>{tiles - 1});
       const ComputeSet set = byList.addComputeSet("store");
       byList.setTileMapping(byList.addVertex(set, "Store<int,true,3>", {{"out", x[1]}}), 0);
       return Case{Execute(set), t.becomes<int>(x, {0, -3})};
     }},
    {"a clone lies where its source lies and is another variable",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {3}), y = t.graph().clone(x),
                    z = t.graph().clone(FLOAT, x, "z");
       EXPECT_EQ(t.graph().getTileMapping(y), t.graph().getTileMapping(x));
       EXPECT_EQ(z.elementType(), FLOAT);
       EXPECT_FALSE(y.intersectsWith(x));
       return Case{Copy(x, y), t.becomes<int>(y, {0, 1, 2})};
     }},
    {"halves of one word may lie on different tiles",
     [](ContractTable &t) {
       const Tensor x = t.over(SHORT, {4}), y = t.over(SHORT, {4}, 1);
       const unsigned tiles = t.graph().getTarget().getNumTiles();
       for (unsigned i = 0; i < 4; ++i)
         t.graph().setTileMapping(x[i], i % 2 % tiles);
       t.graph().setInitialValue<short>(x, {1, 2, 3, 4});
       return Case{Copy(x.reverse(0), y), t.becomes<short>(y, {4, 3, 2, 1})};
     }},
};

class GraphHeader : public ContractRow<Row> {};
INSTANTIATE_TEST_SUITE_P(Rows, GraphHeader, onEveryDevice(kGraphRows), rowName<Row>);

TEST_P(GraphHeader, BehavesAsDocumented) { holds(row(), kGraphContractCodelets); }

class GraphOfEngines : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, GraphOfEngines, ::testing::ValuesIn(kDevices), deviceName);

TEST_P(GraphOfEngines, MayChangeAfterAnEngineWasMadeOfIt) {
  const Tensor x = hostVariable(INT, {2}, "x");
  graph_.setInitialValue<int>(x, {1, 2});
  Engine before = load(Copy(x[0], x[1]));
  const Tensor y = hostVariable(INT, {2}, "y");
  graph_.setInitialValue(x[0], 5);
  Engine after(graph_, Copy(x, y));
  before.run();
  EXPECT_EQ(read<int>(before, "x", 2), (std::vector<int>{1, 1})) << "as it was";
  after.load(device_);
  after.run();
  EXPECT_EQ(read<int>(after, "y", 2), (std::vector<int>{5, 2}));
}

TEST_P(GraphOfEngines, HasItsInitialValuesAgainAfterEachLoad) {
  const Tensor x = hostVariable(INT, {2}, "x");
  graph_.setInitialValue<int>(x, {1, 2});
  Engine engine = load(Copy(x[1], x[0]));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(read<int>(engine, "x", 2), (std::vector<int>{1, 2}));
    engine.run();
    EXPECT_EQ(read<int>(engine, "x", 2), (std::vector<int>{2, 2}));
    engine.load(device_);
  }
}

} // namespace
} // namespace copse::test
