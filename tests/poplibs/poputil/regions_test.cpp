#include <gtest/gtest.h>

#include <poplar/Target.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>
#include <random>

namespace {

using poplar::Interval;
using Regions = std::vector<Interval>;

std::size_t sizeOf(const Regions &regions) {
  std::size_t n = 0;
  for (const Interval &region : regions)
    n += region.size();
  return n;
}

TEST(Regions, NeighboursAreMerged) {
  Regions regions = {Interval(5, 7), Interval(0, 2), Interval(3, 3), Interval(2, 4)};
  poputil::mergeAdjacentRegions(regions);
  EXPECT_EQ(regions, (Regions{Interval(0, 4), Interval(5, 7)}));
}
TEST(Regions, ALongRegionIsSplitAtGrains) {
  EXPECT_EQ(poputil::splitRegions({Interval(0, 10)}, 4, 2),
            (std::vector<Regions>{{Interval(0, 4)}, {Interval(4, 10)}}));
}
TEST(Regions, PartsHaveTheMinimumOfElements) {
  for (const Regions &part : poputil::splitRegions({Interval(0, 100)}, 1, 8, 30))
    EXPECT_GE(sizeOf(part), 30u);
}
TEST(Regions, PartsHaveAtMostTheMaximumOfElements) {
  for (const Regions &part : poputil::splitRegions({Interval(0, 100)}, 1, 2, 0, 7))
    EXPECT_LE(sizeOf(part), 7u);
}
TEST(Regions, LongRegionsAreCut) {
  for (const Regions &part : poputil::splitRegions({Interval(0, 100)}, 1, 2, 0, UINT_MAX, 9))
    for (const Interval &region : part)
      EXPECT_LE(region.size(), 9u);
}
TEST(Regions, PartsCoverAllElementsInOrder) {
  for (unsigned seed = 0; seed != 100; ++seed) {
    std::mt19937 random(seed);
    Regions regions;
    std::size_t at = 0;
    const auto count = 1 + random() % 5;
    for (unsigned i = 0; i != count; ++i) {
      const std::size_t begin = at + random() % 4, end = begin + 1 + random() % 40;
      regions.emplace_back(begin, end);
      at = end + 1;
    }
    const unsigned grain = 1 + random() % 5, most = 1 + random() % 7;
    const auto parts = poputil::splitRegions(regions, grain, most);
    EXPECT_LE(parts.size(), most);
    Regions all;
    for (const Regions &part : parts) {
      EXPECT_NE(sizeOf(part), 0u);
      all.insert(all.end(), part.begin(), part.end());
    }
    poputil::mergeAdjacentRegions(all);
    poputil::mergeAdjacentRegions(regions);
    EXPECT_EQ(all, regions);
  }
}
TEST(Regions, MoreThan32BitsOfElementsAreSplit) {
  const std::size_t n = std::size_t{1} << 35;
  const auto parts = poputil::splitRegions({Interval(0, n)}, 8, 6);
  EXPECT_EQ(parts.size(), 6u);
  EXPECT_EQ(parts.back().back().end(), n);
}
TEST(Regions, EveryWorkerOfATileGetsAPart) {
  const poplar::Target target = poplar::Target::createIPUTarget(1, "ipu2");
  EXPECT_EQ(poputil::splitRegionsBetweenWorkers(target, Regions{Interval(0, 60)}, 2).size(), 6u);
}
TEST(Regions, ListsOfRegionsStayLists) {
  const std::vector<Regions> lists = {{Interval(0, 2), Interval(4, 6)}, {Interval(8, 12)}};
  const auto parts = poputil::splitRegions(lists, 2, 2);
  EXPECT_EQ(parts, (std::vector<std::vector<Regions>>{{{Interval(0, 2), Interval(4, 6)}},
                                                      {{Interval(8, 12)}}}));
}
TEST(Regions, ListsWithMoreElementsThanARegionMayHaveAreCut) {
  const std::vector<Regions> lists = {{Interval(0, 10), Interval(20, 30)}, {Interval(40, 44)}};
  const auto parts = poputil::splitRegions(lists, 4, 1, 0, UINT_MAX, 15);
  EXPECT_EQ(parts, (std::vector<std::vector<Regions>>{
                       {{Interval(0, 10)}, {Interval(20, 30)}, {Interval(40, 44)}}}));
  std::size_t lists50 = 0;
  for (const auto &part :
       poputil::splitRegions(std::vector<Regions>{{Interval(0, 100000)}}, 4, 1, 0, UINT_MAX, 49999))
    for (const Regions &list : part) {
      EXPECT_LE(sizeOf(list), 49999u);
      ++lists50;
    }
  EXPECT_EQ(lists50, 3u);
}
TEST(Regions, NoPartitionsAreAnError) {
  EXPECT_THROW(poputil::splitRegions({Interval(0, 2)}, 1, 0), poputil::poplibs_error);
}
TEST(Regions, IndicesAreFlattenedInRowMajorOrder) {
  const std::vector<unsigned> shape = {2, 3, 4};
  EXPECT_EQ(poputil::flattenIndex(shape, {1, 2, 3}), 23u);
  EXPECT_EQ(poputil::unflattenIndex(shape, 23), (std::vector<unsigned>{1, 2, 3}));
}

} // namespace
