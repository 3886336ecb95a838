#include "coverage.hpp"

#include "compiler/memory_sharing.hpp"

#include <gmock/gmock.h>

namespace copse::compiler {
namespace {

class MemorySharingOnOneTile : public ::testing::Test {
protected:
  TileAllocator allocator_{1, 0x1000, 4096};
  LiveRanges ranges_;
  const LiveRanges::Id early_ = ranges_.add({{1, 2}}), late_ = ranges_.add({{3, 4}});
  const LiveRanges::Id both_ = ranges_.add({{1, 1}, {4, 4}}), between_ = ranges_.add({{2, 3}});
};

TEST_F(MemorySharingOnOneTile, GivesOneAddressToItemsThatAreNotLiveTogether) {
  MemorySharing sharing(allocator_, ranges_);
  EXPECT_EQ(sharing.place(0, 64, 16, early_), sharing.place(0, 32, 16, late_));
  EXPECT_EQ(allocator_.used(0), 64u);
}

TEST_F(MemorySharingOnOneTile, KeepsItemsThatAreLiveTogetherApart) {
  MemorySharing sharing(allocator_, ranges_);
  const auto first = sharing.place(0, 24, 16, early_);
  EXPECT_EQ(sharing.place(0, 8, 16, both_), first + 32);
}

TEST_F(MemorySharingOnOneTile, UsesTheTimeBetweenTwoIntervals) {
  MemorySharing sharing(allocator_, ranges_);
  EXPECT_EQ(sharing.place(0, 64, 16, both_), sharing.place(0, 64, 16, between_));
}

TEST_F(MemorySharingOnOneTile, FillsTheLowestGap) {
  MemorySharing sharing(allocator_, ranges_);
  const auto first = sharing.place(0, 64, 16, early_);
  sharing.place(0, 64, 16, both_);
  EXPECT_EQ(sharing.place(0, 32, 16, late_), first);
  EXPECT_EQ(sharing.place(0, 32, 16, late_), first + 32);
  EXPECT_EQ(sharing.place(0, 32, 16, late_), first + 128);
}

TEST_F(MemorySharingOnOneTile, CountsUnusedBytesAsGaps) {
  MemorySharing sharing(allocator_, ranges_);
  sharing.place(0, 16, 16, early_);
  sharing.place(0, 16, 16, early_, {0x1100, {}, true});
  EXPECT_EQ(allocator_.used(0), 0x110u);
  EXPECT_EQ(allocator_.gaps(0), 0x110u - 32u);
  sharing.place(0, 64, 16, both_); // into the gap
  EXPECT_EQ(allocator_.gaps(0), 0x110u - 32u - 64u);
  sharing.place(0, 16, 16, late_); // where the first block is no longer needed
  EXPECT_EQ(allocator_.gaps(0), 0x110u - 32u - 64u);
}

TEST_F(MemorySharingOnOneTile, NeedsAtLeastTheBytesOfTheFullestStep) {
  allocator_.allocate(0, 32, 16);
  MemorySharing sharing(allocator_, ranges_);
  sharing.place(0, 16, 16, LiveRanges::kAlways);
  sharing.place(0, 48, 16, early_);
  sharing.place(0, 16, 16, both_);
  sharing.place(0, 64, 16, late_); // does not fit into the gap below
  EXPECT_EQ(allocator_.used(0), 32u + 16u + 48u + 16u + 64u);
  EXPECT_EQ(sharing.leastUsed(0), 32u + 16u + 64u + 16u);
}

TEST_F(MemorySharingOnOneTile, LiesAboveItemsThatDoNotShare) {
  const auto own = allocator_.allocate(0, 20, 4);
  MemorySharing sharing(allocator_, ranges_);
  EXPECT_EQ(sharing.place(0, 8, 16, early_), own + 32);
}

TEST(LiveRanges, NumberEqualSetsOnce) {
  LiveRanges ranges;
  EXPECT_EQ(ranges.add({{1, 2}, {5, 6}}), ranges.add({{1, 2}, {5, 6}}));
}

using Extents = std::vector<Extent>;

TEST(Coverage, JoinsRunsThatTouchWhateverTheirOrder) {
  EXPECT_EQ(coverage({{0, 4, 4, 1}, {0, 3, 4, -1}}), (Extents{{0, 8}}));
  EXPECT_EQ(coverage({{0, 0, 4, 2}, {0, 1, 4, 2}}), (Extents{{0, 8}}));
}

TEST(Coverage, EndsWhereAnElementIsMissing) {
  EXPECT_EQ(coverage({{0, 4, 4, 1}, {0, 0, 3, 1}}), (Extents{{0, 3}, {4, 8}}));
  EXPECT_EQ(coverage({{0, 0, 3, 2}, {0, 0, 3, 2}}), (Extents{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(coverage({{0, 0, 5, 1}, {0, 0, 3, 1}}), (Extents{{0, 5}})) << "some twice";
  EXPECT_EQ(coverage({{0, 7, 8, 0}}), (Extents{{7, 8}})) << "one element eight times";
  EXPECT_EQ(coverage({{0, 9, 3, -3}, {0, 5, 1, 1}, {0, 0, 0, 1}}),
            (Extents{{3, 4}, {5, 7}, {9, 10}}));
}

} // namespace
} // namespace copse::compiler
