#include "graph_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace copse::graph {
namespace {

using namespace poplar;
using test::elementsOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Lists = std::vector<std::vector<Interval>>;
using Method = TensorCloneMethod;

class LayoutTest : public ::testing::Test {
protected:
  Graph graph{test::ipuTarget(1, 4)};
  Tensor t = graph.addVariable(FLOAT, {4, 6}, VariableMappingMethod::LINEAR, "t");

  Lists regions(const Tensor &of, bool remove = false,
                std::vector<std::size_t> *aliases = nullptr) {
    return graph.getSortedContiguousRegions(of, {{0, of.numElements()}}, remove, aliases);
  }
};

TEST_F(LayoutTest, RegionsAreSortedByMemoryAndGrouped) {
  const Tensor swapped = concat(t[2], t[1]); // memory 12-17, then 6-11
  EXPECT_EQ(regions(swapped), (Lists{{{6, 12}, {0, 6}}}));
}

TEST_F(LayoutTest, ARearrangerPutsAnyTensorOfTheShapeIntoMemoryOrder) {
  const Tensor other = graph.addVariable(FLOAT, {6, 4}, "other");
  const Tensor box = t.reverse(1).transpose(), pieces = concat(t[2], t[1]);
  for (const Tensor &of : {box, pieces}) {
    const TensorRearranger order = graph.getSimplifyingRearranger(of);
    Tensor simple = of, along = other.flatten().slice(0, of.numElements());
    const Tensor alongBefore = along;
    graph.reorderToSimplify(&simple, {&along});
    EXPECT_EQ(order.rearrange(of), simple);
    EXPECT_EQ(order.rearrange(alongBefore), along);
    EXPECT_EQ(simple.getContiguousRegions().size(), 1u);
  }
}

TEST_F(LayoutTest, ARearrangementIsUndone) {
  const Tensor overlapping = concat(t.flatten().slice(0, 10), t.flatten().slice(5, 15));
  for (const Tensor &of : {t, t.reverse(1).transpose(), t.subSample(2, 1).dimShuffle({1, 0}),
                           concat(t[2], t[1]), overlapping}) {
    const TensorRearranger order = graph.getSimplifyingRearranger(of);
    EXPECT_EQ(order.undoRearrangement(order.rearrange(of)), of);
  }
}

TEST_F(LayoutTest, ARearrangerMapsPositions) {
  for (const Tensor &of : {t.reverse(1).transpose(), concat(t[2], t[1])}) {
    const TensorRearranger order = graph.getSimplifyingRearranger(of);
    EXPECT_TRUE(order.valid());
    const Tensor flat = of.flatten(), simple = order.rearrange(of);
    const std::vector<Interval> some{{3, 8}, {0, 2}};
    EXPECT_EQ(concat(flat.slices(some)), concat(simple.slices(order.rearrange(some))));
    EXPECT_EQ(concat(simple.slices(some)), concat(flat.slices(order.undoRearrangement(some))));
    const std::vector<Interval> beyond{{0, of.numElements() + 1}};
    EXPECT_THROW(order.rearrange(beyond), poplar_error);
  }
  EXPECT_FALSE(TensorRearranger().valid());
}

TEST_F(LayoutTest, ARearrangerIsForOneNumberOfElements) {
  const TensorRearranger order = graph.getSimplifyingRearranger(t);
  EXPECT_THROW(order.rearrange(t[0]), poplar_error);
  EXPECT_THROW(order.undoRearrangement(t[0]), poplar_error);
  EXPECT_THROW(TensorRearranger().rearrange(t), poplar_error);
}

TEST_F(LayoutTest, StorageIsCountedOncePerElementOnEachTile) {
  const StorageInfo all = graph.getStorageInfo(concat(t, t[0].expand({0})));
  EXPECT_EQ(all.numElements, 24u);
  EXPECT_EQ(all.numBytes, 96u);
  EXPECT_EQ(all.numRegions, 4u);
  EXPECT_THAT(all.bytesOfTiles, ElementsAre(24u, 24u, 24u, 24u));
  const StorageInfo column = graph.getStorageInfo(t.slice(1, 3).slice(0, 2, 1));
  EXPECT_EQ(column.numRegions, 2u);
  EXPECT_THAT(column.bytesOfTiles, ElementsAre(0u, 8u, 8u, 0u));
  EXPECT_THROW(graph.getStorageInfo(graph.addVariable(FLOAT, {1})), invalid_tile_mapping);
}

TEST_F(LayoutTest, GapsSeparateGroups) {
  EXPECT_EQ(regions(concat(t[3], t[0])), (Lists{{{6, 12}}, {{0, 6}}}));
}

TEST_F(LayoutTest, OnlyRequestedPositionsAreListed) {
  EXPECT_EQ(graph.getSortedContiguousRegions(t, {{8, 10}, {2, 4}, {5, 5}}),
            (Lists{{{2, 4}}, {{8, 10}}}));
  EXPECT_THAT(graph.getSortedContiguousRegions(t, {}), IsEmpty());
}

TEST_F(LayoutTest, TouchingIntervalsMerge) {
  EXPECT_EQ(graph.getSortedContiguousRegions(t, {{0, 4}, {4, 9}}), (Lists{{{0, 9}}}));
}

TEST_F(LayoutTest, RemovingAliasesListsEachElementOnce) {
  const Tensor overlapping = concat(t.flatten().slice(0, 10), t.flatten().slice(5, 15));
  EXPECT_EQ(regions(overlapping, true), (Lists{{{0, 10}, {15, 20}}}));
}

TEST_F(LayoutTest, AliasesNameTheFirstPositionOfTheSameElements) {
  const Tensor overlapping = concat(t.flatten().slice(0, 10), t.flatten().slice(5, 15));
  std::vector<std::size_t> aliases;
  const Lists lists = regions(overlapping, false, &aliases);
  // Every interval, shifted to its representative, refers to the same elements.
  const auto elements = elementsOf(overlapping);
  std::map<std::pair<unsigned, std::size_t>, std::size_t> representative;
  std::size_t i = 0, positions = 0;
  for (const auto &list : lists) {
    for (const Interval &interval : list) {
      for (std::size_t k = 0; k < interval.size(); ++k, ++positions) {
        const auto &element = elements[interval.begin() + k];
        EXPECT_EQ(element, elements[aliases[i] + k]);
        // At every other position, the element has the same representative.
        EXPECT_EQ(representative.emplace(element, aliases[i] + k).first->second, aliases[i] + k);
      }
      EXPECT_LE(aliases[i], interval.begin());
      ++i;
    }
  }
  EXPECT_EQ(i, aliases.size());
  EXPECT_EQ(positions, overlapping.numElements());
}

TEST_F(LayoutTest, ABroadcastIsOneGroupForEachRepetition) {
  std::vector<std::size_t> aliases;
  EXPECT_EQ(regions(t.broadcast(2, 0), false, &aliases), (Lists{{{0, 24}}, {{24, 48}}}));
  EXPECT_THAT(aliases, ElementsAre(0u, 0u));
}

struct CloneCase {
  const char *name;
  Method method;
  bool aliases; ///< true: aliases are kept
};
class Clone : public LayoutTest, public ::testing::WithParamInterface<CloneCase> {
protected:
  std::vector<Tensor> sources() {
    const Tensor other = graph.addVariable(FLOAT, {4, 6}, VariableMappingMethod::LINEAR);
    std::vector<Tensor> all{t, concat(t, other, 1), concat(other, t)};
    if (GetParam().method != Method::CREATE_NEW_ORDER) {
      all.push_back(t.transpose());
    }
    return all;
  }
};
TEST_P(Clone, HasTheSourcesTilesButOtherElements) {
  for (const Tensor &source : sources()) {
    const Tensor clone = graph.clone(source, "clone", GetParam().method);
    EXPECT_EQ(clone.shape(), source.shape());
    EXPECT_EQ(graph.getTileMapping(clone), graph.getTileMapping(source));
    EXPECT_FALSE(clone.intersectsWith(source));
    EXPECT_FALSE(clone.containsAliases());
  }
}
TEST_P(Clone, HasTheSourcesRegions) {
  std::vector<Tensor> all{t};
  if (GetParam().aliases) {
    all = {t, t.transpose(), t.broadcast(2, 0), concat(t.slice(0, 3), t.slice(2, 4)).transpose()};
  }
  for (const Tensor &source : all) {
    const Tensor clone = graph.clone(source, {}, GetParam().method);
    std::vector<std::size_t> ofSource, ofClone;
    EXPECT_EQ(regions(clone, false, &ofClone), regions(source, false, &ofSource));
    EXPECT_EQ(ofClone, ofSource);
    EXPECT_EQ(regions(clone, true), regions(source, true));
  }
}
INSTANTIATE_TEST_SUITE_P(
    Methods, Clone,
    ::testing::Values(CloneCase{"UnlessAliases", Method::PRESERVE_ORDER_UNLESS_ALIASES, false},
                      CloneCase{"NewOrder", Method::CREATE_NEW_ORDER, false},
                      CloneCase{"Aliases", Method::PRESERVE_ORDER_AND_ALIASES, true},
                      CloneCase{"Gather", Method::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES,
                                true}),
    [](const auto &p) { return p.param.name; });

TEST(CloneMethods, HaveNames) {
  EXPECT_EQ(toString(Method::PRESERVE_ORDER_AND_ALIASES), "PRESERVE_ORDER_AND_ALIASES");
  EXPECT_EQ(toString(Method::CREATE_NEW_ORDER), "CREATE_NEW_ORDER");
  EXPECT_EQ(toString(Method::PRESERVE_ORDER_UNLESS_ALIASES), "PRESERVE_ORDER_UNLESS_ALIASES");
  EXPECT_EQ(toString(Method::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES),
            "GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES");
}

TEST_F(LayoutTest, ClonesKeepGapsUnlessTheyMayReorder) {
  const Tensor columns = t.slice(0, 2, 1);
  EXPECT_EQ(regions(graph.clone(columns)), regions(columns));
  EXPECT_TRUE(graph.clone(columns, {}, Method::CREATE_NEW_ORDER).isContiguous());
}

TEST_F(LayoutTest, ACloneOfAnAliasedTensorIsAFullVariableByDefault) {
  const Tensor c = graph.addConstant(FLOAT, {1, 6}, 2.0f);
  graph.setTileMapping(c, 1);
  const Tensor clone = graph.clone(HALF, c.broadcast(4, 0));
  EXPECT_EQ(clone.elementType(), HALF);
  EXPECT_TRUE(clone.isParallelWriteable());
  EXPECT_TRUE(clone.isContiguous());
}

TEST_F(LayoutTest, UnmappedElementsStayUnmappedInAClone) {
  const Tensor half = graph.addVariable(FLOAT, {4});
  graph.setTileMapping(half.slice(0, 2), 1);
  EXPECT_EQ(graph.getTileMapping(graph.clone(half), false), graph.getTileMapping(half, false));
}

TEST_F(LayoutTest, CloneNPutsCopiesInANewDimension) {
  const Tensor copies = graph.cloneN(t, 3);
  EXPECT_EQ(copies.shape(), (std::vector<std::size_t>{3, 4, 6}));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(graph.getTileMapping(copies[i]), graph.getTileMapping(t));
  }
  EXPECT_FALSE(copies.containsAliases());
  EXPECT_EQ(graph.cloneN(t, 0).shape(), (std::vector<std::size_t>{0, 4, 6}));
}

TEST_F(LayoutTest, CloneNByRegionIsOneContiguousRegionOnEachTile) {
  const Tensor copies =
      graph.cloneN(t, 3, {}, Method::PRESERVE_ORDER_UNLESS_ALIASES,
                   TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION);
  for (const auto &intervals : graph.getTileMapping(copies)) {
    EXPECT_EQ(graph.getSortedContiguousRegions(copies, intervals).size(), 1u);
  }
  EXPECT_EQ(graph.getTileMapping(copies[2]), graph.getTileMapping(t));
  EXPECT_THROW(graph.cloneN(t, 2, {}, Method::CREATE_NEW_ORDER,
                            TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION),
               poplar_error);
}

TEST_F(LayoutTest, CloneNByRegionGathersTheRegionsOfATileIntoOne) {
  // Columns on tiles: the part on each tile is four regions in memory.
  const Tensor source = graph.addVariable(FLOAT, {4, 6});
  for (unsigned column = 0; column < 6; ++column) {
    graph.setTileMapping(source.slice(column, column + 1, 1), column % 4);
  }
  const Tensor copies =
      graph.cloneN(source, 3, {}, Method::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES,
                   TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION);
  EXPECT_FALSE(copies.containsAliases());
  for (std::size_t i = 0; i < 3; ++i) {
    const auto mapping = graph.getTileMapping(copies[i]);
    EXPECT_EQ(mapping, graph.getTileMapping(source));
    for (const auto &intervals : mapping) {
      EXPECT_EQ(graph.getSortedContiguousRegions(copies[i], intervals).size(), 1u);
    }
  }
  for (const auto &intervals : graph.getTileMapping(copies)) {
    EXPECT_EQ(graph.getSortedContiguousRegions(copies, intervals).size(), 1u);
  }
}

TEST_F(LayoutTest, ReorderToSimplifyAppliesOnePermutationToAll) {
  Tensor first = t.transpose().flatten();
  const Tensor before = first, other = graph.addVariable(INT, {24});
  Tensor second = other;
  graph.reorderToSimplify(&first, {&second});
  EXPECT_TRUE(first.isContiguous());
  const auto a = elementsOf(before), b = elementsOf(other), x = elementsOf(first),
             y = elementsOf(second);
  std::set<std::pair<std::pair<unsigned, std::size_t>, std::pair<unsigned, std::size_t>>> was, is;
  for (std::size_t i = 0; i < a.size(); ++i) {
    was.insert({a[i], b[i]});
    is.insert({x[i], y[i]});
  }
  EXPECT_EQ(was, is);
}

TEST_F(LayoutTest, UnbroadcastingRemovesRepetitionOnly) {
  EXPECT_EQ(graph.findUnbroadcastTensor(t), t);
  EXPECT_EQ(graph.findUnbroadcastTensor(t.broadcast(3, 0).broadcast(2, 1)), t);
  const Tensor scalar = t[0].slice(0, 1);
  EXPECT_EQ(graph.findUnbroadcastTensor(scalar.broadcast(7, 0)), scalar);
  const Tensor uneven = concat(t, t.slice(0, 1));
  EXPECT_EQ(graph.findUnbroadcastTensor(uneven), uneven);
}

TEST_F(LayoutTest, VariablesAreFoundByTheirReference) {
  const VariableRef ref = t[1].getVarRegions().front().var;
  EXPECT_EQ(graph.getVariable(ref), t);
  EXPECT_FALSE(graph.isConstant(ref));
  EXPECT_THROW(graph.getVariable(VariableRef(1000, 1)), poplar_error);
}

} // namespace
} // namespace copse::graph
