#include "graph_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poplar/exceptions.hpp>

namespace copse::graph {
namespace {

using namespace poplar;
using popc::FieldDirection;
using popc::FieldKind;
using ::testing::HasSubstr;

class GraphQueries : public ::testing::Test {
protected:
  GraphQueries() {
    test::addVertexType(graph, "V",
                        {test::field("in", FieldDirection::Input, FieldKind::Vector),
                         test::field("rows", FieldDirection::Input, FieldKind::VectorOfVectors),
                         test::field("n", FieldDirection::State, FieldKind::Scalar)});
    cs = graph.addComputeSet("cs");
    v = graph.addVertex(cs, "V");
  }
  Tensor data(std::size_t n) {
    const Tensor t = graph.addVariable(FLOAT, {n}, "data");
    graph.setTileMapping(t, 0);
    return t;
  }

  Graph graph{test::ipuTarget(2, 4)};
  ComputeSet cs;
  VertexRef v;
};

TEST_F(GraphQueries, CountVertices) {
  graph.addVertex(cs, "V");
  EXPECT_EQ(graph.getNumVertices(), 2u);
}

TEST_F(GraphQueries, ReturnSizesOfFields) {
  EXPECT_EQ(graph.getFieldSize(v["in"]), 0u);
  graph.connect(v["in"], data(3));
  graph.connect(v["rows"], {data(1), data(2)});
  EXPECT_EQ(graph.getFieldSize(v["in"]), 3u);
  EXPECT_EQ(graph.getFieldSize(v["rows"]), 2u);
  EXPECT_EQ(graph.getFieldSize(v["rows"][1]), 2u);
  EXPECT_EQ(graph.getFieldSize(v["n"]), 1u);
  const VertexRef w = graph.addVertex(cs, "V");
  graph.setFieldSize(w["rows"], 5);
  EXPECT_EQ(graph.getFieldSize(w["rows"]), 5u);
  EXPECT_THROW(graph.getFieldSize(w["out"]), unknown_field);
}

TEST_F(GraphQueries, ReturnPerfEstimates) {
  EXPECT_THROW(graph.getPerfEstimate(v), missing_perf_estimate);
  graph.registerPerfEstimator("V", [](const VertexIntrospector &vertex, const Target &) {
    return VertexPerfEstimate(10 + vertex.getFieldInfo("in").size(), 2);
  });
  graph.connect(v["in"], data(3));
  EXPECT_EQ(graph.getPerfEstimate(v).cycles, 13u);
  EXPECT_EQ(graph.getPerfEstimate(v).flops, 2u);
  graph.setPerfEstimate(v, 7);
  EXPECT_EQ(graph.getPerfEstimate(v).cycles, 7u);
  EXPECT_THROW(graph.getPerfEstimate(VertexRef()), poplar_error);
}

TEST_F(GraphQueries, NeverAskEstimatorsOnCpuTargets) {
  Graph cpu(Target::createCPUTarget());
  test::addVertexType(cpu, "V", {test::field("in", FieldDirection::Input, FieldKind::Vector)});
  cpu.registerPerfEstimator("V",
                            [](const VertexIntrospector &, const Target &) -> VertexPerfEstimate {
                              throw poplar_error("not of this target");
                            });
  const VertexRef w = cpu.addVertex(cpu.addComputeSet(), "V");
  EXPECT_THROW(cpu.getPerfEstimate(w), missing_perf_estimate);
}

TEST_F(GraphQueries, ReturnTheTilesOfAVariable) {
  const Tensor t = graph.addVariable(FLOAT, {4}, "t");
  graph.setTileMapping(t.slice(0, 1), 1);
  graph.setTileMapping(t.slice(1, 4), 2);
  const auto mapping = graph.getVariableTileMapping(t.slice(2, 3).getVarRegions().front().var);
  EXPECT_EQ(mapping[1], std::vector<Interval>{Interval(0, 1)});
  EXPECT_EQ(mapping[2], std::vector<Interval>{Interval(1, 4)});
  EXPECT_EQ(graph.getVariableTileMapping(t.slice(2, 3)), mapping);
  EXPECT_EQ(graph.getTileMapping(t, true, false), mapping);
  EXPECT_THROW(graph.getVariableTileMapping(concat(t, graph.addVariable(FLOAT, {1}))),
               poplar_error);
}

TEST_F(GraphQueries, ConvertTileNumbersInBothDirections) {
  Graph inner = graph.createVirtualGraph(2, 6);
  for (unsigned tile = 0; tile < 4; ++tile)
    EXPECT_EQ(inner.convertPhysicalTileToVirtualTile(inner.convertVirtualTileToPhysicalTile(tile)),
              tile);
  EXPECT_EQ(inner.convertPhysicalTileToVirtualTile(1, 1), 3u);
  EXPECT_EQ(inner.convertTileToTopLevelGraphTile(1), 3u);
  EXPECT_EQ(inner.convertTopLevelGraphTileToTile(3), 1u);
  try {
    inner.convertPhysicalTileToVirtualTile(1);
    FAIL();
  } catch (const poplar_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("tile 1 is none of the graph's 4"));
  }
}

} // namespace
} // namespace copse::graph
