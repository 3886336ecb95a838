#include "layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace copse::test {
namespace {

using namespace gcl;
using poplar::Interval;
using Mapping = poplar::Graph::TileToTensorMapping;

std::vector<std::size_t> elementsOf(const std::vector<Interval> &intervals) {
  std::vector<std::size_t> elements;
  for (const Interval &interval : intervals)
    for (std::size_t i = interval.begin(); i < interval.end(); ++i)
      elements.push_back(i);
  return elements;
}

Mapping randomMapping(std::size_t elements, unsigned tiles, unsigned seed) {
  std::mt19937 random(seed);
  Mapping mapping(tiles);
  for (std::size_t i = 0; i < elements;) {
    const std::size_t n = std::min<std::size_t>(1 + random() % 20, elements - i);
    mapping[random() % tiles].emplace_back(i, i + n);
    i += n;
  }
  return mapping;
}

/// Returns the tile of each element.
std::vector<unsigned> tilesOf(const Mapping &mapping, std::size_t elements) {
  std::vector<unsigned> tiles(elements);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const std::size_t i : elementsOf(mapping[tile]))
      tiles[i] = tile;
  return tiles;
}

struct LayoutCase {
  std::size_t elements, rows, grain;
};
class Layouts : public ::testing::TestWithParam<LayoutCase> {
protected:
  static constexpr unsigned kTiles = 12, kTilesPerIpu = 4;
  std::size_t elements() const { return GetParam().elements; }
  std::size_t rows() const { return GetParam().rows; }
  /// Expects that each element has one position in the matrix, and that each column lies on one
  /// tile.
  void expectWellFormed(const Layout &layout) {
    auto operand = elementsOf(layout.operand), matrix = elementsOf(layout.matrix);
    EXPECT_EQ(operand.size(), elements());
    EXPECT_EQ(matrix.size(), elements());
    for (auto *places : {&operand, &matrix}) {
      std::sort(places->begin(), places->end());
      EXPECT_EQ(std::adjacent_find(places->begin(), places->end()), places->end());
    }
    std::size_t columns = 0;
    for (const auto &intervals : layout.columnsOnTile)
      columns += elementsOf(intervals).size();
    EXPECT_EQ(columns, layout.columns);
  }
};
INSTANTIATE_TEST_SUITE_P(Sizes, Layouts,
                         ::testing::Values(LayoutCase{1, 4, 1}, LayoutCase{3, 8, 2},
                                           LayoutCase{64, 2, 1}, LayoutCase{1000, 3, 1},
                                           LayoutCase{1001, 8, 2}, LayoutCase{777, 5, 4}));

TEST_P(Layouts, BalancedOnesStayOnTheIpuAndPadLittle) {
  const Mapping mapping = randomMapping(elements(), kTiles, 3);
  const Layout layout = balancedLayout(mapping, kTilesPerIpu, rows(), GetParam().grain);
  expectWellFormed(layout);
  EXPECT_LT(layout.columns * rows(),
            elements() + kTiles / kTilesPerIpu * rows() * GetParam().grain);
  const auto from = tilesOf(mapping, elements()),
             to = tilesOf(layout.columnsOnTile, layout.columns);
  const auto operand = elementsOf(layout.operand), matrix = elementsOf(layout.matrix);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < elements(); ++i) {
    const unsigned there = to[matrix[i] % layout.columns];
    EXPECT_EQ(there / kTilesPerIpu, from[operand[i]] / kTilesPerIpu);
    moved += there == from[operand[i]] ? 0 : 1;
  }
  EXPECT_LE(moved, kTiles * rows() * GetParam().grain); // only what did not divide
}

TEST_P(Layouts, OrderedOnesHaveThePartsOfEachIpusElementsInTurn) {
  const Mapping mapping = randomMapping(elements(), kTiles, 4);
  std::vector<std::size_t> columns;
  const Layout layout = orderedLayout(mapping, kTilesPerIpu, {{0, elements()}}, rows(), columns);
  expectWellFormed(layout);
  const auto from = tilesOf(mapping, elements());
  // Row by row within an IPU's columns, elements ascend.
  std::vector<std::size_t> ofIpu(kTiles / kTilesPerIpu, 0), place(elements());
  const auto operand = elementsOf(layout.operand), matrix = elementsOf(layout.matrix);
  for (std::size_t i = 0; i < elements(); ++i)
    place[operand[i]] = matrix[i];
  for (const unsigned tile : from)
    ++ofIpu[tile / kTilesPerIpu];
  std::vector<std::size_t> seen(ofIpu.size(), 0), firstColumn(ofIpu.size(), 0);
  for (std::size_t ipu = 1; ipu < ofIpu.size(); ++ipu)
    firstColumn[ipu] = firstColumn[ipu - 1] + (ofIpu[ipu - 1] + rows() - 1) / rows();
  for (std::size_t i = 0; i < elements(); ++i) {
    const std::size_t ipu = from[i] / kTilesPerIpu, part = (ofIpu[ipu] + rows() - 1) / rows();
    const std::size_t n = seen[ipu]++;
    EXPECT_EQ(place[i], n / part * layout.columns + firstColumn[ipu] + n % part);
  }
}

TEST(Layout, PartsOfEqualMappingStayInPlace) {
  Mapping mapping(4); // two parts of 6, each 4 on tile 0 and 2 on tile 2
  mapping[0] = {Interval(0, 4), Interval(6, 10)};
  mapping[2] = {Interval(4, 6), Interval(10, 12)};
  std::vector<std::size_t> columns;
  const Layout layout = orderedLayout(mapping, 4, {{0, 12}}, 2, columns);
  EXPECT_EQ(columns, std::vector<std::size_t>{6});
  EXPECT_EQ(elementsOf(layout.columnsOnTile[0]), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(elementsOf(layout.columnsOnTile[2]), (std::vector<std::size_t>{4, 5}));
}

} // namespace
} // namespace copse::test
