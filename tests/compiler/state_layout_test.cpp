#include "models.hpp"

#include "compiler/state_layout.hpp"
#include "poplar/exceptions.hpp"

#include <gmock/gmock.h>

namespace copse::compiler {
namespace {

using popc::FieldDirection;
using popc::FieldKind;
using popc::Layout;

/// Returns a model with one vertex with one input field, which is not connected.
graph::Model oneVertex(FieldKind kind) {
  auto model = test::emptyModel(1, 1);
  test::addVariable(model, "x", std::vector<std::uint32_t>(8, 0));
  const auto type = test::addVertexType(model, "V", {FieldDirection::Input});
  popc::Field &field = model.vertexTypes[type].fields[0];
  field.kind = kind;
  field.inner = kind == FieldKind::VectorOfVectors ? Layout::OnePtr : Layout::NotAVector;
  test::addVertex(model, test::addComputeSet(model, "cs"), type, 0);
  return model;
}

std::string messageOf(const graph::Model &model) {
  try {
    layOutState(model, VertexIndex(model), 0);
  } catch (const poplar::graph_connection_error &e) {
    return e.what();
  }
  return {};
}

TEST(StateLayout, IsTheObjectAloneForPlainVectors) {
  auto model = oneVertex(FieldKind::Vector);
  test::connect(model, 0, 0, {{0, 0, 8, 1}});
  EXPECT_EQ(layOutState(model, VertexIndex(model), 0).bytes, 8u);
}

TEST(StateLayout, AppendsATableOfInnerPointers) {
  auto model = oneVertex(FieldKind::VectorOfVectors);
  for (std::uint32_t i = 0; i < 3; ++i)
    test::connect(model, 0, 0, {{0, i, 1, 1}}, i);
  const StateLayout layout = layOutState(model, VertexIndex(model), 0);
  EXPECT_EQ(layout.fields[0].size, 3u);
  EXPECT_EQ(layout.fields[0].tableOffset, 8u);
  EXPECT_EQ(layout.bytes, 8u + 3 * 4u);
}

TEST(StateLayout, NamesAFieldThatIsNotConnected) {
  EXPECT_THAT(messageOf(oneVertex(FieldKind::Vector)),
              ::testing::AllOf(::testing::HasSubstr("field 'a' of vertex 'V' in compute set 'cs'"),
                               ::testing::HasSubstr("not connected")));
}

TEST(StateLayout, RefusesAFieldThatIsConnectedTwice) {
  auto model = oneVertex(FieldKind::Vector);
  test::connect(model, 0, 0, {{0, 0, 8, 1}});
  test::connect(model, 0, 0, {{0, 0, 4, 1}});
  EXPECT_THAT(messageOf(model), ::testing::HasSubstr("more than once"));
}

TEST(StateLayout, RefusesAGapInAListOfVectors) {
  auto model = oneVertex(FieldKind::VectorOfVectors);
  test::connect(model, 0, 0, {{0, 0, 1, 1}}, 0);
  test::connect(model, 0, 0, {{0, 1, 1, 1}}, 2);
  EXPECT_THAT(messageOf(model), ::testing::HasSubstr("index 1 is not connected"));
}

TEST(StateLayout, KeepsRoomForAVectorOfItsOwn) {
  auto model = oneVertex(FieldKind::Vector);
  model.vertexTypes[0].fields[0].direction = FieldDirection::State;
  model.fieldValues.push_back({0, 0, 0, 5, std::vector<std::byte>(20)});
  const StateLayout layout = layOutState(model, VertexIndex(model), 0);
  EXPECT_EQ(layout.fields[0].size, 5u);
  EXPECT_EQ(layout.bytes, 8u + 20u);
}

} // namespace
} // namespace copse::compiler
