#include "growth.hpp"

#include "graph/run_list.hpp"
#include "graph/view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace copse::graph {
namespace {

using Shape = std::vector<std::size_t>;
using Piece = Run; // inside a test, Run is ::testing::Test::Run
using Element = std::pair<VariableId, std::uint64_t>;

std::vector<Element> expand(const std::vector<Run> &runs) {
  std::vector<Element> out;
  for (const Run &run : runs) {
    for (std::uint64_t i = 0; i < run.count; ++i) {
      out.emplace_back(run.variable, elementOf(run, i));
    }
  }
  return out;
}

/// The reference: a shape and a plain list of elements.
struct Listed {
  Shape shape;
  std::vector<Element> elements;

  static Listed ofVariable(VariableId variable, Shape shape) {
    Listed out{std::move(shape), {}};
    for (std::uint64_t i = 0, n = out.count(); i < n; ++i) {
      out.elements.emplace_back(variable, i);
    }
    return out;
  }
  std::size_t count() const {
    return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  }
  std::size_t inner(unsigned d) const {
    return std::accumulate(shape.begin() + d + 1, shape.end(), std::size_t{1}, std::multiplies<>());
  }
  /// Returns a new list whose index along \p d comes from source(index).
  template <typename Source> Listed along(unsigned d, std::size_t size, Source source) const {
    Listed out{shape, {}};
    out.shape[d] = size;
    const std::size_t in = inner(d);
    const std::size_t outer =
        std::accumulate(shape.begin(), shape.begin() + d, std::size_t{1}, std::multiplies<>());
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t i = 0; i < in; ++i) {
          out.elements.push_back(elements[(o * shape[d] + source(j)) * in + i]);
        }
      }
    }
    return out;
  }
  Listed shuffled(const std::vector<unsigned> &permutation) const {
    Listed out{shape, {}};
    for (std::size_t d = 0; d < permutation.size(); ++d) {
      out.shape[d] = shape[permutation[d]];
    }
    for (std::size_t i = 0, n = count(); i < n; ++i) {
      std::size_t rest = i, at = 0;
      for (std::size_t d = permutation.size(); d-- > 0;) {
        at += rest % out.shape[d] * inner(permutation[d]);
        rest /= out.shape[d];
      }
      out.elements.push_back(elements[at]);
    }
    return out;
  }
  static Listed concat(const Listed &a, const Listed &b, unsigned d) {
    Listed out{a.shape, {}};
    out.shape[d] += b.shape[d];
    const std::size_t blockA = a.shape[d] * a.inner(d), blockB = b.shape[d] * b.inner(d);
    const std::size_t outer =
        std::accumulate(a.shape.begin(), a.shape.begin() + d, std::size_t{1}, std::multiplies<>());
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::size_t i = 0; i < blockA; ++i) {
        out.elements.push_back(a.elements[o * blockA + i]);
      }
      for (std::size_t i = 0; i < blockB; ++i) {
        out.elements.push_back(b.elements[o * blockB + i]);
      }
    }
    return out;
  }
};

/// A view and its reference, changed by the same random operations.
class RandomPair {
public:
  RandomPair(unsigned seed) : random_(seed) {
    Shape shape;
    for (unsigned d = 0, rank = 1 + pick(3); d < rank; ++d) {
      shape.push_back(1 + pick(5));
    }
    view_ = View::ofVariable(0, shape);
    listed_ = Listed::ofVariable(0, shape);
  }

  void step() {
    const unsigned d = pick(static_cast<unsigned>(listed_.shape.size()));
    const std::size_t size = listed_.shape[d];
    switch (pick(10)) {
    case 0: {
      const std::size_t begin = pick(size + 1), end = begin + pick(size - begin + 1);
      view_ = view_.slice(begin, end, d);
      listed_ = listed_.along(d, end - begin, [=](std::size_t j) { return begin + j; });
      break;
    }
    case 1:
      shuffle();
      break;
    case 2:
      reshape();
      break;
    case 3: {
      const std::size_t n = pick(4);
      if (listed_.count() * n < 2000) {
        view_ = view_.broadcast(n, d);
        listed_ = listed_.along(d, size * n, [=](std::size_t j) { return j % size; });
      }
      break;
    }
    case 4: {
      const std::size_t by = 1 + pick(3);
      view_ = view_.subSample(by, d);
      listed_ = listed_.along(d, (size + by - 1) / by, [=](std::size_t j) { return j * by; });
      break;
    }
    case 5: {
      const std::size_t by = pick(4);
      if (listed_.count() * by < 2000) {
        view_ = view_.upsample(by, d);
        listed_ = listed_.along(d, size * by, [=](std::size_t j) { return j / by; });
      }
      break;
    }
    case 6:
      view_ = view_.reverse(d);
      listed_ = listed_.along(d, size, [=](std::size_t j) { return size - 1 - j; });
      break;
    case 7:
      concatOther(d);
      break;
    case 8:
      splitAndRejoin(d);
      break;
    default:
      dropOrInsert(d);
      break;
    }
  }

  const View &view() const { return view_; }
  const Listed &listed() const { return listed_; }

private:
  template <typename T> T pick(T below) { // 0 for below == 0
    return below == 0 ? 0 : static_cast<T>(random_() % below);
  }
  void shuffle() {
    std::vector<unsigned> permutation(listed_.shape.size());
    std::iota(permutation.begin(), permutation.end(), 0u);
    std::shuffle(permutation.begin(), permutation.end(), random_);
    view_ = view_.dimShuffle(permutation);
    listed_ = listed_.shuffled(permutation);
  }
  void reshape() {
    std::size_t rest = listed_.count();
    Shape shape;
    for (std::size_t factor : {2, 3, 4, 5}) {
      if (rest > 0 && rest % factor == 0 && pick(2)) {
        shape.push_back(factor);
        rest /= factor;
      }
    }
    shape.insert(shape.begin() + pick(shape.size() + 1), rest);
    view_ = view_.reshape(shape);
    listed_.shape = shape;
  }
  void concatOther(unsigned d) {
    if (listed_.count() > 1000) {
      return;
    }
    Shape shape = listed_.shape;
    shape[d] = pick(4);
    const auto id = 1 + pick(3u);
    const bool twice = pick(3) == 0;
    const View other = twice ? view_ : View::ofVariable(id, shape);
    const Listed otherListed = twice ? listed_ : Listed::ofVariable(id, shape);
    const std::vector<View> both{view_, other};
    view_ = View::concat(both, d);
    listed_ = Listed::concat(listed_, otherListed, d);
  }
  void splitAndRejoin(unsigned d) {
    const std::size_t cut = pick(listed_.shape[d] + 1);
    const std::vector<View> parts{view_.slice(0, cut, d), view_.slice(cut, listed_.shape[d], d)};
    view_ = View::concat(parts, d);
  }
  void dropOrInsert(unsigned d) {
    if (listed_.shape[d] == 1 && listed_.shape.size() > 1) {
      view_ = view_.dropDimension(d);
      listed_.shape.erase(listed_.shape.begin() + d);
    } else if (listed_.shape.size() < 6) {
      view_ = view_.insertDimension(d);
      listed_.shape.insert(listed_.shape.begin() + d, 1);
    }
  }

  std::mt19937 random_;
  View view_;
  Listed listed_;
};

TEST(ViewProperty, RandomChainsReferToTheElementsOfAPlainList) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    RandomPair pair(seed);
    for (int i = 0; i < 12; ++i) {
      pair.step();
      ASSERT_EQ(pair.view().shape(), pair.listed().shape) << "seed " << seed << ", step " << i;
      ASSERT_EQ(expand(pair.view().runs()), pair.listed().elements)
          << "seed " << seed << ", step " << i;
    }
  }
}

TEST(ViewProperty, RangesEqualThoseOfAPlainList) {
  std::mt19937 random(1);
  for (unsigned seed = 0; seed < 500; ++seed) {
    RandomPair pair(seed);
    for (int i = 0; i < 12; ++i) {
      pair.step();
      const auto &elements = pair.listed().elements;
      const std::size_t begin = random() % (elements.size() + 1);
      const std::size_t end = begin + random() % (elements.size() - begin + 1);
      RunList list;
      pair.view().addRuns(begin, end, list);
      const auto at = [&](std::size_t p) {
        return elements.begin() + static_cast<std::ptrdiff_t>(p);
      };
      ASSERT_EQ(expand(list.runs()), std::vector<Element>(at(begin), at(end)))
          << "seed " << seed << ", step " << i;
    }
  }
}

TEST(ViewProperty, AnAscendingOrderSortsElementsAndIsTheSameForOtherViews) {
  std::size_t ordered = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    RandomPair pair(seed);
    for (int i = 0; i < 12; ++i) {
      pair.step();
      const auto order = pair.view().ascendingOrder();
      if (!order) {
        continue;
      }
      ++ordered;
      const std::vector<Element> sorted = expand(pair.view().inOrder(*order).runs());
      ASSERT_TRUE(std::is_sorted(sorted.begin(), sorted.end())) << "seed " << seed;
      // Seen through the same order, a variable shows where each element came from.
      const View positions = View::ofVariable(9, {sorted.size()}).inOrder(*order);
      for (std::size_t p = 0; p < sorted.size(); ++p) {
        ASSERT_EQ(pair.listed().elements[positions.at(p).begin], sorted[p]);
      }
    }
  }
  EXPECT_GT(ordered, 1000u);
}

TEST(ViewProperty, NeighbouringRunsNeverMerge) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    RandomPair pair(seed);
    for (int i = 0; i < 12; ++i) {
      pair.step();
      const std::vector<Piece> runs = pair.view().runs();
      for (std::size_t r = 1; r < runs.size(); ++r) {
        RunList list;
        list.add(runs[r - 1]);
        list.add(runs[r]);
        ASSERT_EQ(list.runs().size(), 2u) << "seed " << seed << ", step " << i << ", run " << r;
      }
    }
  }
}

TEST(ViewProperty, SingleElementsAndContiguityAgreeWithTheList) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    RandomPair pair(seed);
    for (int i = 0; i < 12; ++i) {
      pair.step();
      const auto &elements = pair.listed().elements;
      bool contiguous = true, distinct = true;
      for (std::size_t p = 0; p < elements.size(); ++p) {
        const Piece at = pair.view().at(p);
        ASSERT_EQ(Element(at.variable, at.begin), elements[p]);
        contiguous &=
            p == 0 || elements[p] == Element(elements[p - 1].first, elements[p - 1].second + 1);
      }
      auto sorted = elements;
      std::sort(sorted.begin(), sorted.end());
      distinct = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
      ASSERT_EQ(pair.view().isContiguous(), contiguous) << "seed " << seed << ", step " << i;
      ASSERT_TRUE(distinct || !pair.view().isPlainlyAliasFree()) << "seed " << seed;
    }
  }
}

TEST(ViewProperty, EqualityFollowsTheElementLists) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    RandomPair a(seed), b(seed);
    for (int i = 0; i < 6; ++i) {
      a.step();
      b.step();
    }
    const View other = View::ofRuns(b.view().runs(), b.view().shape());
    EXPECT_EQ(a.view(), other) << "seed " << seed;
    if (!a.listed().elements.empty()) {
      const View reversed = other.reverse(0);
      auto listed = b.listed().along(0, b.listed().shape[0],
                                     [&](std::size_t j) { return b.listed().shape[0] - 1 - j; });
      EXPECT_EQ(a.view() == reversed, a.listed().elements == listed.elements) << "seed " << seed;
    }
  }
}

TEST(View, AFreshVariableIsOneRun) {
  EXPECT_THAT(View::ofVariable(3, {4, 5}).runs(), ::testing::ElementsAre(Piece{3, 0, 20, 1}));
}

TEST(View, AScalarHasOneElement) {
  const View scalar = View::ofVariable(3, {});
  EXPECT_EQ(scalar.numElements(), 1u);
  EXPECT_THAT(scalar.runs(), ::testing::ElementsAre(Piece{3, 0, 1, 1}));
}

TEST(View, AnEmptyViewHasNoRuns) {
  EXPECT_TRUE(View::ofVariable(3, {4, 0}).runs().empty());
  EXPECT_TRUE(View().runs().empty());
}

TEST(View, AColumnIsOneStridedRun) {
  const View column = View::ofVariable(0, {100, 7}).slice(2, 3, 1);
  EXPECT_THAT(column.runs(), ::testing::ElementsAre(Piece{0, 2, 100, 7}));
}

TEST(View, ABroadcastElementIsOneRunOfStrideZero) {
  const View row = View::ofVariable(0, {1}).broadcast(1000, 0);
  EXPECT_THAT(row.runs(), ::testing::ElementsAre(Piece{0, 0, 1000, 0}));
}

TEST(View, JoinsDimensionsOfAnySizeThatLieApart) {
  // Groups of channels are the innermost dimensions in memory, and are seen beside the other
  // groups.
  const View stored = View::ofVariable(0, {5, 7, 100, 101, 102, 4, 16});
  const std::vector<unsigned> toOuter{0, 5, 2, 3, 4, 1, 6}, toInner{0, 5, 2, 3, 4, 1, 6};
  const View seen = stored.dimShuffle(toOuter).reshape({20, 100, 101, 102, 112});
  EXPECT_EQ(seen.numElements(), std::size_t{5} * 7 * 100 * 101 * 102 * 4 * 16);
  const View channels = seen.slice(1, 2, 0).slice(3, 4, 1).slice(5, 6, 2).slice(7, 8, 3);
  EXPECT_EQ(channels.reshape({112}).runs().size(), 7u) << "one for each group";
  EXPECT_EQ(seen.slice(0, 4, 0).slice(0, 16, 4).slice(0, 1, 1).slice(0, 1, 2).slice(0, 1, 3).runs(),
            (std::vector<Piece>{{0, 0, 64, 1}}));
  const View back = seen.reshape({5, 4, 100, 101, 102, 7, 16}).dimShuffle(toInner);
  EXPECT_EQ(back.runs(), stored.runs());
  EXPECT_TRUE(back == stored);
}

TEST(View, GathersIntervalsOfPositions) {
  const View view = View::ofVariable(0, {4, 6}).dimShuffle(std::vector<unsigned>{1, 0});
  const View flat = view.reshape({24});
  const std::vector<PositionInterval> intervals{{3, 9}, {0, 1}, {5, 5}, {20, 24}};
  const std::vector<View> pieces{flat.slice(3, 9, 0), flat.slice(0, 1, 0), flat.slice(20, 24, 0)};
  EXPECT_TRUE(view.gather(intervals) == View::concat(pieces, 0));
}

TEST(View, JoiningAllRowsRestoresTheVariable) {
  const View whole = View::ofVariable(0, {50, 3});
  std::vector<View> rows;
  for (std::size_t i = 0; i < 50; ++i) {
    rows.push_back(whole.slice(i, i + 1, 0));
  }
  EXPECT_EQ(View::concat(rows, 0), whole);
  EXPECT_TRUE(View::concat(rows, 0).isContiguous());
}

TEST(View, JoiningAllColumnsRestoresTheVariable) {
  const View whole = View::ofVariable(0, {50, 30});
  std::vector<View> columns;
  for (std::size_t i = 0; i < 30; ++i) {
    columns.push_back(whole.slice(i, i + 1, 1));
  }
  EXPECT_TRUE(View::concat(columns, 1).isContiguous());
}

TEST(View, InterleavingLongColumnsStaysSmall) {
  const std::vector<View> columns{View::ofVariable(0, {1000000, 1}),
                                  View::ofVariable(1, {1000000, 1})};
  const View both = View::concat(columns, 1);
  EXPECT_THAT(both.dimShuffle(std::vector<unsigned>{1, 0}).runs(),
              ::testing::ElementsAre(Piece{0, 0, 1000000, 1}, Piece{1, 0, 1000000, 1}));
}

TEST(View, JoiningTransposedBlocksKeepsTheirOrderInMemory) {
  const std::vector<unsigned> swapped{1, 0};
  const std::vector<View> blocks{View::ofVariable(0, {100, 32}).dimShuffle(swapped),
                                 View::ofVariable(1, {100, 48}).dimShuffle(swapped)};
  const View whole = View::concat(blocks, 0);
  EXPECT_THAT(whole.elementRuns(), ::testing::Each(::testing::Field(&Piece::stride, 1)));
}

TEST(RunList, GivesAnElementToTheContiguousNeighbour) {
  RunList list;
  list.add({0, 0, 1, 1});
  list.add({0, 5, 1, 1});
  list.add({0, 6, 4, 1});
  EXPECT_THAT(list.runs(), ::testing::ElementsAre(Piece{0, 0, 1, 1}, Piece{0, 5, 5, 1}));
}

TEST(RunList, TakesTheHeadOfAStridedRunIntoAContiguousOne) {
  RunList list;
  list.add({0, 0, 4, 1});
  list.add({0, 4, 3, 2});
  EXPECT_THAT(list.runs(), ::testing::ElementsAre(Piece{0, 0, 5, 1}, Piece{0, 6, 2, 2}));
}

// Slicing a concatenation of 10^5 pieces again must not visit all of them for each slice.
TEST(ViewScale, SlicesOfABigConcatenationAreNotQuadratic) {
  const auto slicing = [](std::size_t count) {
    std::vector<View> pieces;
    for (std::size_t i = 0; i < count; ++i)
      pieces.push_back(View::ofVariable(static_cast<VariableId>(i), {4}));
    return [pieces = std::move(pieces)] {
      const View all = View::concat(pieces, 0);
      std::vector<View> slices;
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        slices.push_back(all.slice(4 * i, 4 * i + 4, 0));
        ASSERT_EQ(slices.back().runs().size(), 1u);
      }
      EXPECT_EQ(View::concat(slices, 0), all);
    };
  };
  EXPECT_LT(copse::test::growthPerElement(slicing, 100'000), copse::test::kMostGrowth);
}

} // namespace
} // namespace copse::graph
