#include "hazards.hpp"
#include "models.hpp"

#include "poplar/exceptions.hpp"

#include <gmock/gmock.h>

namespace copse::compiler {
namespace {

using graph::Run;
using popc::FieldDirection;

// Two vertices of one compute set; the first is connected to `first`, the second to `second`, of
// one variable.
const struct HazardCase {
  const char *name;
  FieldDirection firstDirection;
  Run first;
  FieldDirection secondDirection;
  Run second;
  bool refused;
} kHazards[] = {
    {"BothRead", FieldDirection::Input, {0, 0, 8, 1}, FieldDirection::Input, {0, 0, 8, 1}, false},
    {"WritesApart",
     FieldDirection::Output,
     {0, 0, 4, 1},
     FieldDirection::Output,
     {0, 4, 4, 1},
     false},
    {"WritesInterleaved",
     FieldDirection::Output,
     {0, 0, 4, 2},
     FieldDirection::Output,
     {0, 1, 4, 2},
     false},
    {"WritesTheSame",
     FieldDirection::Output,
     {0, 0, 5, 1},
     FieldDirection::Output,
     {0, 4, 4, 1},
     true},
    {"WritesWhatIsRead",
     FieldDirection::Input,
     {0, 0, 5, 1},
     FieldDirection::InOut,
     {0, 4, 4, 1},
     true},
    {"WritesInterleavedTheSame",
     FieldDirection::Output,
     {0, 0, 4, 2},
     FieldDirection::Output,
     {0, 6, 1, 1},
     true},
};

class ComputeSetHazards : public ::testing::TestWithParam<HazardCase> {};

TEST_P(ComputeSetHazards, AreFoundElementByElement) {
  const auto &c = GetParam();
  auto model = test::emptyModel(1, 1);
  test::addVariable(model, "x", std::vector<std::uint32_t>(8, 0));
  const auto set = test::addComputeSet(model, "cs");
  for (const auto &[direction, run] :
       {std::pair(c.firstDirection, c.first), std::pair(c.secondDirection, c.second)}) {
    const auto type = test::addVertexType(model, "V", {direction});
    test::connect(model, test::addVertex(model, set, type, 0), 0, {run});
  }
  if (c.refused)
    EXPECT_THROW(checkComputeSetHazards(model, VertexIndex(model)), poplar::graph_cycle_error);
  else
    EXPECT_NO_THROW(checkComputeSetHazards(model, VertexIndex(model)));
}

INSTANTIATE_TEST_SUITE_P(TwoVertices, ComputeSetHazards, ::testing::ValuesIn(kHazards),
                         [](const auto &p) { return p.param.name; });

TEST(ComputeSetHazards, DoNotConcernDifferentComputeSets) {
  auto model = test::emptyModel(1, 1);
  test::addVariable(model, "x", std::vector<std::uint32_t>(8, 0));
  const auto type = test::addVertexType(model, "V", {FieldDirection::Output});
  for (const char *name : {"one", "two"})
    test::connect(model, test::addVertex(model, test::addComputeSet(model, name), type, 0), 0,
                  {{0, 0, 8, 1}});
  EXPECT_NO_THROW(checkComputeSetHazards(model, VertexIndex(model)));
}

TEST(ComputeSetHazards, DoNotConcernUnusedComputeSets) {
  auto model = test::emptyModel(1, 1);
  test::addVariable(model, "x", std::vector<std::uint32_t>(8, 0));
  const auto type = test::addVertexType(model, "V", {FieldDirection::Output});
  const auto set = test::addComputeSet(model, "cs");
  for (int i = 0; i < 2; ++i)
    test::connect(model, test::addVertex(model, set, type, 0), 0, {{0, 0, 8, 1}});
  EXPECT_NO_THROW(checkComputeSetHazards(model, VertexIndex(model, {false})));
  EXPECT_THROW(checkComputeSetHazards(model, VertexIndex(model, {true})),
               poplar::graph_cycle_error);
}

TEST(Writable, RefusesAConstant) {
  auto model = test::emptyModel(1, 1);
  test::addVariable(model, "one", {0});
  model.variables[0].constant = true;
  const std::vector<graph::Run> runs{{0, 0, 1, 1}};
  EXPECT_THROW(checkWritable(model, runs, "a Copy"), poplar::graph_connection_error);
}

TEST(Writable, RefusesADuplicateElement) {
  auto model = test::emptyModel(1, 1);
  test::addVariable(model, "x", {0, 0, 0, 0});
  const std::vector<graph::Run> runs{{0, 0, 3, 1}, {0, 2, 2, 1}};
  EXPECT_THROW(checkWritable(model, runs, "a Copy"), poplar::graph_connection_error);
  EXPECT_NO_THROW(checkNotConstant(model, runs, "a stream"));
}

TEST(Writable, AcceptsInterleavedRuns) {
  auto model = test::emptyModel(1, 1);
  test::addVariable(model, "x", {0, 0, 0, 0});
  const std::vector<graph::Run> runs{{0, 0, 2, 2}, {0, 1, 2, 2}};
  EXPECT_NO_THROW(checkWritable(model, runs, "a Copy"));
}

} // namespace
} // namespace copse::compiler
