#include "graph_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace copse::graph {
namespace {

using namespace poplar;
using popc::ElementType;
using popc::Field;
using popc::FieldDirection;
using popc::FieldKind;
using popc::Layout;
using ::testing::HasSubstr;

std::vector<Field> fields() {
  auto list = test::field("list", FieldDirection::Input, FieldKind::VectorList);
  list.outer = Layout::DeltaN;
  auto elements = test::field("elements", FieldDirection::Input, FieldKind::VectorList);
  elements.outer = Layout::DeltaNElements;
  elements.minAlign = 8;
  auto rows = test::field("rows", FieldDirection::InOut, FieldKind::VectorOfVectors);
  rows.outer = Layout::Span;
  rows.inner = Layout::ShortSpan;
  auto array = test::field("array", FieldDirection::State, FieldKind::Scalar, ElementType::Int);
  array.arrayLength = 3;
  return {
      test::field("scalar", FieldDirection::Input, FieldKind::Scalar),
      test::field("vector", FieldDirection::Input, FieldKind::Vector),
      test::field("out", FieldDirection::Output, FieldKind::Vector),
      test::field("scalars", FieldDirection::Input, FieldKind::VectorOfScalars),
      rows,
      list,
      elements,
      test::field("byte", FieldDirection::State, FieldKind::Scalar, ElementType::UnsignedChar, 1),
      test::field("short", FieldDirection::State, FieldKind::Scalar, ElementType::Short, 2),
      test::field("half", FieldDirection::State, FieldKind::Scalar, ElementType::Half, 2),
      test::field("table", FieldDirection::State, FieldKind::Vector, ElementType::UnsignedShort, 2),
      array};
}

class ConnectTest : public ::testing::Test {
protected:
  ConnectTest() {
    test::addVertexType(graph, "ns::V<float,unsigned int>", fields());
    v = graph.addVertex(cs, "ns::V<float, unsigned int >");
  }
  const Model &model() const { return *modelOf(graph); }

  Graph graph{test::ipuTarget()};
  ComputeSet cs = graph.addComputeSet("cs");
  Tensor t = graph.addVariable(FLOAT, {3, 4}, "t");
  Tensor ints = graph.addVariable(INT, {4}, "ints");
  VertexRef v;
};

// The connections that each kind of field accepts, and the sizes of the resulting edges. Source:
// guide, chapter 4.
const struct GoodCase {
  const char *name;
  std::function<void(Graph &, VertexRef, const Tensor &)> connect;
  std::vector<std::uint64_t> edges;
} kGood[] = {
    {"ScalarRank0",
     [](Graph &g, VertexRef v, const Tensor &t) { g.connect(v["scalar"], t[0][0]); },
     {1}},
    {"ScalarOfOneElement",
     [](Graph &g, VertexRef v, const Tensor &t) { g.connect(v["scalar"], t[0].slice(0, 1)); },
     {1}},
    {"Vector", [](Graph &g, VertexRef v, const Tensor &t) { g.connect(v["vector"], t[0]); }, {4}},
    {"EmptyVector",
     [](Graph &g, VertexRef v, const Tensor &t) { g.connect(v["vector"], t[0].slice(0, 0)); },
     {0}},
    {"VectorOfPieces",
     [](Graph &g, VertexRef v, const Tensor &t) {
       g.connect(v["vector"], {t[0], t[1][2]});
     },
     {5}},
    {"ScalarsFromAVector",
     [](Graph &g, VertexRef v, const Tensor &t) { g.connect(v["scalars"], t[0]); },
     {1, 1, 1, 1}},
    {"ScalarsFromAList",
     [](Graph &g, VertexRef v, const Tensor &t) {
       g.connect(v["scalars"], {t[0][0], t[1][1]});
     },
     {1, 1}},
    {"ScalarByIndex",
     [](Graph &g, VertexRef v, const Tensor &t) {
       g.setFieldSize(v["scalars"], 2);
       g.connect(v["scalars"][1], t[0][0]);
     },
     {1}},
    {"RowsFromAMatrix",
     [](Graph &g, VertexRef v, const Tensor &t) { g.connect(v["rows"], t); },
     {4, 4, 4}},
    {"RowsOfDifferentLength",
     [](Graph &g, VertexRef v, const Tensor &t) {
       g.connect(v["rows"], {t[0], t[1].slice(0, 1), t[2].slice(0, 0)});
     },
     {4, 1, 0}},
    {"ListOfOneRow",
     [](Graph &g, VertexRef v, const Tensor &t) { g.connect(v["rows"], {t[0]}); },
     {4}},
    {"VectorList",
     [](Graph &g, VertexRef v, const Tensor &t) {
       g.connect(v["list"], t[0].slices({{0, 1}, {1, 4}}));
     },
     {1, 3}},
    {"InADescription",
     [](Graph &g, VertexRef, const Tensor &t) {
       g.addVertex(ComputeSet(0), "ns::V<float,unsigned int>",
                   {{"vector", t[0]}, {"rows", {t[0], t[1]}}, {"byte", 7}});
     },
     {4, 4, 4}},
};
class Connects : public ConnectTest, public ::testing::WithParamInterface<GoodCase> {};
TEST_P(Connects, CreatesEdgesOfTheExpectedSizes) {
  GetParam().connect(graph, v, t);
  std::vector<std::uint64_t> sizes;
  for (const Edge &edge : model().edges) {
    sizes.push_back(edge.elements);
    std::uint64_t inRuns = 0;
    for (std::uint32_t r = 0; r < edge.runs.count; ++r) {
      inRuns += model().runs[edge.runs.first + r].count;
    }
    EXPECT_EQ(inRuns, edge.elements);
  }
  EXPECT_EQ(sizes, GetParam().edges);
}
INSTANTIATE_TEST_SUITE_P(Fields, Connects, ::testing::ValuesIn(kGood),
                         [](const auto &p) { return p.param.name; });

const struct BadConnection {
  const char *name;
  std::function<void(Graph &, VertexRef, const Tensor &, const Tensor &)> connect;
  const char *field, *message;
} kBadConnections[] = {
    {"MatrixOnAVector",
     [](Graph &g, VertexRef v, const Tensor &t, const Tensor &) { g.connect(v["vector"], t); },
     "'vector'", "expected a tensor of rank 1, given a float tensor of shape {3,4}"},
    {"ScalarOnAVector",
     [](Graph &g, VertexRef v, const Tensor &t, const Tensor &) {
       g.connect(v["vector"], t[0][0]);
     },
     "'vector'", "shape {}"},
    {"VectorOnAScalar",
     [](Graph &g, VertexRef v, const Tensor &t, const Tensor &) { g.connect(v["scalar"], t[0]); },
     "'scalar'", "expected one element"},
    {"ListOnAScalar",
     [](Graph &g, VertexRef v, const Tensor &t, const Tensor &) {
       g.connect(v["scalar"], {t[0][0], t[0][1]});
     },
     "'scalar'", "a list of 2 tensors"},
    {"OtherType",
     [](Graph &g, VertexRef v, const Tensor &, const Tensor &ints) {
       g.connect(v["vector"], ints);
     },
     "'vector'", "expected elements of type float, given a int tensor"},
    {"VectorOnRows",
     [](Graph &g, VertexRef v, const Tensor &t, const Tensor &) { g.connect(v["rows"], t[0]); },
     "'rows'", "rank 2 or a list"},
    {"MatricesOnRows",
     [](Graph &g, VertexRef v, const Tensor &t, const Tensor &) {
       g.connect(v["rows"], {t, t});
     },
     "'rows'", "rank 1"},
    {"VariableOnAState",
     [](Graph &g, VertexRef v, const Tensor &, const Tensor &ints) { g.connect(v["array"], ints); },
     "'array'", "because it is no edge"},
    {"IndexOfAVector",
     [](Graph &g, VertexRef v, const Tensor &t, const Tensor &) {
       g.connect(v["vector"][0], t[0]);
     },
     "'vector[0]'", "no entries to index"},
    {"ValueForAnOutput",
     [](Graph &g, VertexRef v, const Tensor &, const Tensor &) {
       g.setInitialValue(v["out"], 1.0f);
     },
     "'out'", "expected a tensor"},
    {"ListForAScalar",
     [](Graph &g, VertexRef v, const Tensor &, const Tensor &) {
       g.setInitialValue(v["byte"], std::vector<int>{1, 2});
     },
     "'byte'", "expected one value"},
    {"TooManyForAnArray",
     [](Graph &g, VertexRef v, const Tensor &, const Tensor &) {
       g.setInitialValue(v["array"], std::vector<int>{1, 2, 3, 4});
     },
     "'array'", "at most 3"},
};
class Refuses : public ConnectTest, public ::testing::WithParamInterface<BadConnection> {};
TEST_P(Refuses, NamesVertexFieldAndFault) {
  try {
    GetParam().connect(graph, v, t, ints);
    FAIL() << "nothing was thrown";
  } catch (const graph_connection_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("ns::V<float,unsigned int>"));
    EXPECT_THAT(e.what(), HasSubstr(GetParam().field));
    EXPECT_THAT(e.what(), HasSubstr(GetParam().message));
  }
}
INSTANTIATE_TEST_SUITE_P(Fields, Refuses, ::testing::ValuesIn(kBadConnections),
                         [](const auto &p) { return p.param.name; });

TEST_F(ConnectTest, AnUnknownFieldListsTheOthers) {
  try {
    graph.connect(v["vectors"], t[0]);
    FAIL() << "nothing was thrown";
  } catch (const unknown_field &e) {
    EXPECT_THAT(e.what(), HasSubstr("no field 'vectors'"));
    EXPECT_THAT(e.what(), HasSubstr("'vector', 'out'"));
  }
}

TEST_F(ConnectTest, AnUnknownVertexTypeNamesItsSiblings) {
  EXPECT_TRUE(graph.hasCodelet("ns::V<float, unsigned int>"));
  EXPECT_FALSE(graph.hasCodelet("ns::V<half,unsigned int>"));
  try {
    graph.addVertex(cs, "ns::V<half,unsigned int>");
    FAIL() << "nothing was thrown";
  } catch (const unknown_vertex_type &e) {
    EXPECT_THAT(e.what(), HasSubstr("'ns::V<float,unsigned int>'"));
  }
}

TEST_F(ConnectTest, AnUnknownVertexTypeNamesTheNearestOrAll) {
  const auto messageOf = [&](const char *type) -> std::string {
    try {
      graph.addVertex(cs, type);
    } catch (const unknown_vertex_type &e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  EXPECT_THAT(messageOf("nss::V<float,unsigned int>"),
              HasSubstr("was added to the graph; did you mean 'ns::V<float,unsigned int>'?"));
  EXPECT_THAT(messageOf("Altogether"), HasSubstr("'Altogether' was added to the graph; there "));
}

TEST_F(ConnectTest, ValuesMustFitTheFieldsType) {
  graph.setInitialValue(v["byte"], std::size_t(255));
  graph.setInitialValue(v["short"], -32768);
  EXPECT_THROW(graph.setInitialValue(v["byte"], 256), overflow_error);
  EXPECT_THROW(graph.setInitialValue(v["byte"], -1), overflow_error);
  EXPECT_THROW(graph.setInitialValue(v["short"], 32768u), overflow_error);
  EXPECT_THROW(graph.setInitialValue(v["short"], std::numeric_limits<double>::quiet_NaN()),
               overflow_error);
}

TEST_F(ConnectTest, ValuesAreStoredInDeviceFormat) {
  graph.setInitialValue(v["short"], -2L);
  graph.setInitialValue(v["half"], 1.5);
  graph.setInitialValueHalf(v["half"], std::uint16_t(0x3e00));
  graph.setInitialValue(v["table"], std::vector<std::size_t>{1, 258});
  const auto bytes = [&](std::size_t i) {
    std::vector<int> out;
    for (const std::byte b : model().fieldValues[i].bytes) {
      out.push_back(std::to_integer<int>(b));
    }
    return out;
  };
  EXPECT_THAT(bytes(0), ::testing::ElementsAre(0xfe, 0xff));
  EXPECT_THAT(bytes(1), ::testing::ElementsAre(0x00, 0x3e));
  EXPECT_EQ(bytes(2), bytes(1));
  EXPECT_THAT(bytes(3), ::testing::ElementsAre(1, 0, 2, 1));
}

TEST(ConnectHalves, AreRefusedIfTheirSizeDiffersFromTheTargets) {
  Graph graph(Target::createCPUTarget());
  test::addVertexType(
      graph, "V",
      {test::field("x", FieldDirection::Input, FieldKind::Scalar, ElementType::Half, 2),
       test::field("y", FieldDirection::Input, FieldKind::Scalar)});
  const VertexRef v = graph.addVertex(graph.addComputeSet("cs"), "V");
  graph.connect(v["y"], graph.addVariable(FLOAT, {}, "y"));
  try {
    graph.connect(v["x"], graph.addVariable(HALF, {}, "x"));
    FAIL() << "nothing was thrown";
  } catch (const graph_connection_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("halves of 2 bytes"));
    EXPECT_THAT(e.what(), HasSubstr("accurateHalf"));
  }
}

TEST_F(ConnectTest, AConstantOnAStateFieldGivesItsValues) {
  graph.connect(v["table"], graph.addConstant<unsigned>(UNSIGNED_SHORT, {3}, {1, 2, 3}).reverse(0));
  EXPECT_EQ(model().fieldValues.front().elements, 3u);
  EXPECT_EQ(model().fieldValues.front().bytes[0], std::byte{3});
}

TEST_F(ConnectTest, LimitsFollowTypeAndLayout) {
  const char *type = "ns::V<float,unsigned int>";
  EXPECT_EQ(graph.getMaxVertexFieldValue(type, "byte"), 255u);
  EXPECT_EQ(graph.getMaxVertexFieldValue(type, "short"), 32767u);
  EXPECT_EQ(graph.getMaxFieldDim(type, "rows", 0), 0xffffffffu);
  EXPECT_EQ(graph.getMaxFieldDim(type, "rows", 1), 4095u);
  EXPECT_EQ(graph.getMaxFieldDim(type, "list", 0), 4095u);
  EXPECT_EQ(graph.getMaxFieldDim(type, "list", 1), 16383u);
  EXPECT_EQ(graph.getMaxFieldDim(type, "elements", 0), 65535u);
  EXPECT_EQ(graph.getMaxFieldDim(type, "elements", 1), 16383u); // 11 bits + log2(8)
  EXPECT_THROW(graph.getMaxFieldDim(type, "scalar", 0), index_error);
  EXPECT_THROW(graph.getMaxFieldDim(type, "nothing", 0), unknown_field);
}

} // namespace
} // namespace copse::graph
