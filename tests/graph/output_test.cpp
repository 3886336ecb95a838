#include "graph_fixture.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace copse::graph {
namespace {

using namespace poplar;
using namespace poplar::program;
using popc::FieldDirection;
using popc::FieldKind;

/// "first" writes the variable that "second" reads; no program runs "third".
class GraphOutput : public ::testing::Test {
protected:
  GraphOutput() {
    test::addVertexType(graph, "ns::T<float>",
                        {test::field("in", FieldDirection::Input, FieldKind::Vector),
                         test::field("out", FieldDirection::Output, FieldKind::Vector)});
    second = graph.addComputeSet("second");
    first = graph.addComputeSet("a \"first\"");
    third = graph.addComputeSet("third");
    const Tensor t = graph.addVariable(FLOAT, {2, 2}, "t"), u = graph.addVariable(FLOAT, {4}, "u");
    graph.setTileMapping(graph.addVertex(first, "ns::T<float>", {{"in", t.flatten()}, {"out", u}}),
                         3);
    graph.addVertex(second, "ns::T<float>", {{"in", u}, {"out", t.flatten()}});
    graph.addVertex(third, "ns::T<float>", {{"in", u}, {"out", t.flatten()}});
  }
  Graph graph{test::ipuTarget()};
  ComputeSet first, second, third;
};

TEST_F(GraphOutput, ShowsComputeSetsInProgramOrder) {
  const Function f = graph.addFunction(Execute(first));
  std::ostringstream out;
  graph.outputComputeGraph(out, {Sequence(Call(f), Execute(second), Execute(first))});
  EXPECT_EQ(out.str(), R"(digraph computeGraph {
  cs1 [shape=box, label="a \"first\"\n1 vertices"];
  cs0 [shape=box, label="second\n1 vertices"];
  var0 [label="t\nfloat{2,2}"];
  var1 [label="u\nfloat{4}"];
  cs0 -> var0;
  var1 -> cs0;
  var0 -> cs1;
  cs1 -> var1;
}
)");
}

TEST_F(GraphOutput, ShowsVerticesOfTheirComputeSets) {
  std::ostringstream out;
  graph.outputVertexGraph(out, {Execute(first), Execute(second)});
  EXPECT_EQ(out.str(), R"(digraph vertexGraph {
  subgraph cluster_cs1 {
    label="a \"first\"";
    v0 [shape=box, label="ns::T<float>\ntile 3"];
  }
  subgraph cluster_cs0 {
    label="second";
    v1 [shape=box, label="ns::T<float>\nno tile"];
  }
  var0 [label="t\nfloat{2,2}"];
  var1 [label="u\nfloat{4}"];
  var0 -> v0 [label="in"];
  v0 -> var1 [label="out"];
  var1 -> v1 [label="in"];
  v1 -> var0 [label="out"];
}
)");
}

TEST_F(GraphOutput, IsEmptyWithoutPrograms) {
  std::ostringstream out;
  graph.outputComputeGraph(out, {});
  EXPECT_EQ(out.str(), "digraph computeGraph {\n}\n");
}

} // namespace
} // namespace copse::graph
