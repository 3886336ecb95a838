#include "graph_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <thread>
#include <unordered_set>

namespace copse::graph {
namespace {

using namespace poplar;
using test::elementsOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Shape = std::vector<std::size_t>;

class TensorTest : public ::testing::Test {
protected:
  Graph graph{test::ipuTarget()};
  Tensor t = graph.addVariable(FLOAT, {2, 3, 4}, "t");
};

// Positions of a {2,3,4} variable to which each view refers. Source: the documentation of each
// function.
const struct ViewCase {
  const char *name;
  std::function<Tensor(const Tensor &)> view;
  Shape shape;
  std::vector<std::size_t> elements;
} kViews[] = {
    {"Index", [](const Tensor &t) { return t[1][2]; }, {4}, {20, 21, 22, 23}},
    {"IndexList",
     [](const Tensor &t) {
       return t.index({1, 0});
     },
     {4},
     {12, 13, 14, 15}},
    {"SliceKeepsRank",
     [](const Tensor &t) { return t.slice(1, 2, 2); },
     {2, 3, 1},
     {1, 5, 9, 13, 17, 21}},
    {"EmptySlice", [](const Tensor &t) { return t.slice(1, 1); }, {0, 3, 4}, {}},
    {"Box",
     [](const Tensor &t) {
       return t.slice({0, 1, 2}, {1, 2, 4});
     },
     {1, 1, 2},
     {6, 7}},
    {"BoxOfLeadingDimensions",
     [](const Tensor &t) {
       return t.slice({1, 2}, {2, 3});
     },
     {1, 1, 4},
     {20, 21, 22, 23}},
    {"SlicesOfLists",
     [](const Tensor &t) {
       const std::vector<std::vector<Interval>> lists{{{3, 4}, {0, 1}}};
       return t.slices(lists, 2)[0][0][0];
     },
     {2},
     {3, 0}},
    {"ExpandMeansOriginalDimensions",
     [](const Tensor &t) {
       return t[0][0].expand({0, 1, 1});
     },
     {1, 4, 1, 1},
     {0, 1, 2, 3}},
    {"Squeeze",
     [](const Tensor &t) {
       return t.slice(1, 2, 1).slice(0, 1, 0).squeeze({0, 1});
     },
     {4},
     {4, 5, 6, 7}},
    {"SqueezeNothing", [](const Tensor &t) { return t[0][0].squeeze({}); }, {4}, {0, 1, 2, 3}},
    {"Shuffle",
     [](const Tensor &t) {
       return t.slice(0, 2, 2).dimShuffle({2, 0, 1})[1];
     },
     {2, 3},
     {1, 5, 9, 13, 17, 21}},
    {"ShufflePartial",
     [](const Tensor &t) { return t.dimShufflePartial({0}, {2})[0][1]; },
     {2},
     {1, 13}},
    {"Roll", [](const Tensor &t) { return t.dimRoll(2)[3][1]; }, {3}, {15, 19, 23}},
    {"Transpose", [](const Tensor &t) { return t[0].transpose()[0]; }, {3}, {0, 4, 8}},
    {"ReshapePartialInserts",
     [](const Tensor &t) { return t[0][0].reshapePartial(0, 0, {1}); },
     {1, 4},
     {0, 1, 2, 3}},
    {"FlattenPart", [](const Tensor &t) { return t.flatten(0, 2)[5]; }, {4}, {20, 21, 22, 23}},
    {"BroadcastRepeatsTheWhole",
     [](const Tensor &t) { return t[0][0].slice(0, 2).broadcast(2, 0); },
     {4},
     {0, 1, 0, 1}},
    {"BroadcastZeroTimes", [](const Tensor &t) { return t[0][0].broadcast(0, 0); }, {0}, {}},
    {"UpsampleRepeatsEachElement",
     [](const Tensor &t) { return t[0][0].slice(0, 2).upsample(2, 0, UpsampleMethod::REPEAT); },
     {4},
     {0, 0, 1, 1}},
    {"SubSample", [](const Tensor &t) { return t[0][0].subSample(3, 0); }, {2}, {0, 3}},
    {"Reverse", [](const Tensor &t) { return t[0][0].reverse(0); }, {4}, {3, 2, 1, 0}},
    {"Append",
     [](const Tensor &t) { return append(t[0].slice(0, 1), t[1][2]); },
     {2, 4},
     {0, 1, 2, 3, 20, 21, 22, 23}},
    {"Scalar", [](const Tensor &t) { return t[0][1][2]; }, {}, {6}},
};
class TensorView : public TensorTest, public ::testing::WithParamInterface<ViewCase> {};
TEST_P(TensorView, RefersTo) {
  const Tensor view = GetParam().view(t);
  EXPECT_EQ(view.shape(), GetParam().shape);
  std::vector<std::size_t> elements;
  for (const auto &element : elementsOf(view)) {
    elements.push_back(element.second);
  }
  EXPECT_EQ(elements, GetParam().elements);
}
INSTANTIATE_TEST_SUITE_P(Api, TensorView, ::testing::ValuesIn(kViews),
                         [](const auto &p) { return p.param.name; });

const struct BadView {
  const char *name;
  std::function<void(const Tensor &)> view;
  const char *message;
} kBadViews[] = {
    {"SliceBeyondTheEnd", [](const Tensor &t) { t.slice(0, 5, 2); }, "[0,5)"},
    {"SliceBackwards", [](const Tensor &t) { t.slice(2, 1, 2); }, "[2,1)"},
    {"SlicesBackwards",
     [](const Tensor &t) {
       t.slices(std::vector<std::vector<Interval>>{{{2, 1}}});
     },
     "ends before it begins"},
    {"NoSuchDimension", [](const Tensor &t) { t.slice(0, 1, 3); }, "no dimension 3"},
    {"IndexTooLarge", [](const Tensor &t) { t[2]; }, "no index 2"},
    {"IndexOfAScalar", [](const Tensor &t) { t[0][0][0][0]; }, "no dimension 0"},
    {"ReshapeToAnotherSize", [](const Tensor &t) { t.reshape({5}); }, "{5}"},
    {"NoPermutation",
     [](const Tensor &t) {
       t.dimShuffle({0, 0, 1});
     },
     "permutation"},
    {"ShortPermutation",
     [](const Tensor &t) {
       t.dimShuffle({1, 0});
     },
     "permutation"},
    {"SqueezeOfAWideDimension", [](const Tensor &t) { t.squeeze({1}); }, "dimension 1"},
    {"ExpandBeyondTheRank", [](const Tensor &t) { t.expand({4}); }, "no dimension 4"},
    {"SubSampleByZero", [](const Tensor &t) { t.subSample(0, 0); }, "stride is 0"},
    {"BroadcastOfAScalar", [](const Tensor &t) { t[0][0][0].broadcast(2, 0); }, "no dimension 0"},
    {"ReinterpretAsAnotherSize", [](const Tensor &t) { t.reinterpret(HALF); }, "differ in size"},
    {"ConcatOfNothing", [](const Tensor &) { concat(std::vector<Tensor>()); }, "empty"},
    {"ConcatOfOtherShapes", [](const Tensor &t) { concat(t, t[0]); }, "does not fit"},
    {"ConcatOfOtherTypes", [](const Tensor &t) { concat(t, t.reinterpret(INT)); }, "int differ"},
    {"InvalidTensor", [](const Tensor &) { Tensor().shape(); }, "not valid"},
};
class TensorMisuse : public TensorTest, public ::testing::WithParamInterface<BadView> {};
TEST_P(TensorMisuse, NamesTheMistake) {
  try {
    GetParam().view(t);
    FAIL() << "nothing was thrown";
  } catch (const poplar_error &e) {
    EXPECT_THAT(e.what(), HasSubstr(GetParam().message));
  }
}
INSTANTIATE_TEST_SUITE_P(Api, TensorMisuse, ::testing::ValuesIn(kBadViews),
                         [](const auto &p) { return p.param.name; });

TEST_F(TensorTest, SlicesOfListsCountElementsBeyondTheEnd) {
  const std::vector<std::vector<Interval>> lists{{{0, 3}, {5, 9}}, {{7, 7}}};
  const Tensor one = t[0][0][0].reshape({1});
  const std::vector<Tensor> slices = one.slices(lists);
  EXPECT_EQ(slices[0].shape(), (Shape{7}));
  EXPECT_EQ(slices[1].shape(), (Shape{0}));
  EXPECT_EQ(concat(slices).numElements(), 7u);
  EXPECT_EQ(concat(slices).reshape({7, 1}).elementType(), FLOAT);
  EXPECT_EQ(t.slices(std::vector<std::vector<Interval>>{{{1, 4}}}, 1)[0].shape(), (Shape{2, 3, 4}));
}

TEST_F(TensorTest, ElementsBeyondTheEndMayBeSlicedAwayButNotUsed) {
  const std::vector<std::vector<Interval>> lists{{{1, 3}, {2, 5}}};
  const Tensor beyond = t[0][0].slices(lists)[0]; // elements 1, 2, 2, 3 and one more
  EXPECT_EQ(elementsOf(beyond.slice(0, 4)),
            elementsOf(concat(t[0][0].slice(1, 3), t[0][0].slice(2, 4))));
  EXPECT_NO_THROW(graph.setTileMapping(beyond.slice(0, 2), 0));
  test::addVertexType(graph, "Reader",
                      {test::field("in", popc::FieldDirection::Input, popc::FieldKind::Vector)});
  const VertexRef v = graph.addVertex(graph.addComputeSet("cs"), "Reader");
  const Tensor other = graph.addVariable(FLOAT, {5});
  const std::vector<std::function<void()>> uses{
      [&] { graph.connect(v["in"], beyond); },
      [&] { graph.setTileMapping(beyond, 0); },
      [&] { graph.getTileMapping(beyond, false); },
      [&] { program::Copy(beyond, other); },
      [&] { program::Copy(other, concat(beyond.slice(1, 5), beyond.slice(0, 1))); },
      [&] { graph.clone(beyond); },
      [&] { graph.createHostRead("read", beyond); },
      [&] { beyond.getVarRegions(); }};
  for (std::size_t i = 0; i < uses.size(); ++i) {
    try {
      uses[i]();
      ADD_FAILURE() << "use " << i << " was accepted";
    } catch (const poplar_error &e) {
      EXPECT_THAT(e.what(), HasSubstr("1 of the tensor's 5 elements lie beyond the end"));
    }
  }
}

TEST_F(TensorTest, ADefaultTensorIsInvalidAndEqualToAnother) {
  EXPECT_FALSE(Tensor().valid());
  EXPECT_TRUE(Tensor() == Tensor());
  EXPECT_FALSE(Tensor() == t);
}

TEST_F(TensorTest, AnEmptyTensorHasNoContiguousRegions) {
  EXPECT_THAT(t.slice(1, 1).getContiguousRegions(), IsEmpty());
}

TEST_F(TensorTest, AShapeThatNoNumberCanCountIsRefused) {
  const std::size_t huge = std::size_t{1} << 40;
  EXPECT_THROW(graph.addVariable(FLOAT, {huge, huge}), tensor_creation_error);
  EXPECT_EQ(graph.addVariable(FLOAT, {huge, huge, 0}).numElements(), 0u);
}

TEST_F(TensorTest, AFreshVariableIsOneContiguousRegion) {
  EXPECT_THAT(t.getContiguousRegions(), ElementsAre(Interval(0, 24)));
  EXPECT_TRUE(t.isContiguous());
}

TEST_F(TensorTest, VarRegionsAreEqualAfterTakingApartAndJoining) {
  const Tensor shuffled = t.dimShuffle({1, 0, 2});
  const Tensor again = concat({shuffled.slice(0, 1), shuffled.slice(1, 3)}, 0);
  EXPECT_EQ(again.getVarRegions(), shuffled.getVarRegions());
  EXPECT_EQ(again, shuffled);
}

TEST_F(TensorTest, AStoredBlockIsOneRegionThroughShuffles) {
  const Tensor blocks = graph.addVariable(FLOAT, {5, 10, 4}).dimShuffle({1, 0, 2});
  EXPECT_EQ(blocks[3][2].getContiguousRegions().size(), 1u);
}

TEST_F(TensorTest, AliasesAreFound) {
  EXPECT_FALSE(t.containsAliases());
  EXPECT_FALSE(t.broadcast(1, 0).containsAliases());
  EXPECT_TRUE(t.broadcast(2, 0).containsAliases());
  EXPECT_TRUE(concat(t, t).containsAliases());
  EXPECT_TRUE(
      concat(t[0], t[1].slice(0, 1).upsample(2, 0, UpsampleMethod::REPEAT)).containsAliases());
  EXPECT_FALSE(concat(t[1], t[0]).containsAliases());
  EXPECT_FALSE(concat(t.slice(0, 2, 2), t.slice(2, 4, 2), 2).transpose().containsAliases());
  EXPECT_TRUE(concat(t.slice(0, 3, 2), t.slice(2, 4, 2), 2).containsAliases());
}

TEST_F(TensorTest, OnlyDistinctVariablesAreParallelWriteable) {
  const Tensor c = graph.addConstant(FLOAT, {2, 3, 4}, 1.0f);
  EXPECT_TRUE(t.isParallelWriteable());
  EXPECT_TRUE(t.slice(0, 0).broadcast(2, 1).isParallelWriteable());
  EXPECT_FALSE(t.broadcast(2, 0).isParallelWriteable());
  EXPECT_TRUE(concat(t, c).containsConstant());
  EXPECT_FALSE(concat(t, c).isParallelWriteable());
  EXPECT_FALSE(concat(t, c).slice(0, 2).containsConstant());
}

TEST_F(TensorTest, IntersectionsAreFoundAcrossTypes) {
  EXPECT_TRUE(t[0].intersectsWith(t.reinterpret(INT)));
  EXPECT_FALSE(t[0].intersectsWith(t[1]));
  EXPECT_FALSE(t.slice(0, 1, 2).intersectsWith(t.slice(1, 2, 2)));
  EXPECT_TRUE(t.slice(0, 2, 2).intersectsWith(t.slice(1, 2, 2)));
  EXPECT_FALSE(t.intersectsWith(graph.addVariable(FLOAT, {2})));
}

TEST_F(TensorTest, EqualTensorsHaveEqualHashes) {
  const Tensor again = concat(t.slice(0, 1), t.slice(1, 2));
  EXPECT_EQ(std::hash<Tensor>()(t), std::hash<Tensor>()(again));
  EXPECT_NE(t, t.reinterpret(INT));
  EXPECT_NE(t, t.reverse(0));
  EXPECT_NE(t, graph.clone(t));
}

TEST_F(TensorTest, PrintsItsShapeAndName) {
  std::ostringstream out;
  out << t[0];
  EXPECT_EQ(t[0].shapeToString(), "{3,4}");
  EXPECT_THAT(out.str(), HasSubstr("float{3,4} of t"));
}

TEST_F(TensorTest, ConstQueriesRunInManyThreads) {
  graph.setTileMapping(t, 1);
  std::vector<std::thread> threads;
  std::vector<std::size_t> regions(4);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 100; ++k) {
        const auto mapping = graph.getTileMapping(t.transpose());
        regions[i] += graph.getSortedContiguousRegions(t.transpose(), mapping[1]).size();
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_THAT(regions, ::testing::Each(100u));
}

} // namespace
} // namespace copse::graph
