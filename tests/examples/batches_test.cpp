#include "batches.hpp"

#include <gmock/gmock.h>

#include <set>

namespace digits {
namespace {

TEST(BatchPlan, UsesEachTrainingImageOnceInAnEpoch) {
  const BatchPlan plan(24, 3, 2, true, 1);
  std::multiset<std::size_t> images;
  for (std::uint64_t step = 0; step < plan.stepsPerEpoch(); ++step)
    for (unsigned replica = 0; replica < 2; ++replica)
      for (unsigned position = 0; position < 3; ++position)
        images.insert(plan.imageAt(step, replica, position));
  EXPECT_EQ(images.size(), 24u);
  EXPECT_EQ(std::set<std::size_t>(images.begin(), images.end()).size(), 24u);
}

TEST(BatchPlan, ShufflesEachEpochAnew) {
  const BatchPlan plan(1000, 10, 1, true, 1);
  std::vector<std::size_t> first, second;
  for (unsigned position = 0; position < 10; ++position) {
    first.push_back(plan.imageAt(0, 0, position));
    second.push_back(plan.imageAt(plan.stepsPerEpoch(), 0, position));
  }
  EXPECT_NE(first, second);
}

TEST(BatchPlan, PadsTheTestImages) {
  const BatchPlan plan(5, 2, 2, false, 1);
  EXPECT_EQ(plan.stepsPerEpoch(), 2u);
  EXPECT_EQ(plan.imageOrPadding(1, 0, 0), 4u);
  EXPECT_EQ(plan.imageOrPadding(1, 1, 1), 5u) << "padding is counted as one past the last";
  EXPECT_EQ(plan.imageAt(1, 1, 1), 4u) << "and filled with the last";
}

/// Returns images with different labels.
std::vector<Image> numbered(int count) {
  std::vector<Image> images(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    images[static_cast<std::size_t>(i)].label = i;
  return images;
}

TEST(BatchFeeder, RepeatsPrefetchedRowsThatWereInvalidated) {
  const auto images = numbered(6);
  const auto feeder = makeBatchFeeder(RowKind::Labels, images, BatchPlan(6, 2, 1, false, 1), 2, 0);
  std::int32_t row[2];
  feeder->fetch(row);
  feeder->complete();
  feeder->prefetch(row);
  feeder->invalidatePrefetched();
  feeder->fetch(row);
  EXPECT_THAT(row, ::testing::ElementsAre(2, 3));
}

TEST(BatchFeeder, PutsImagesFeatureByFeature) {
  auto images = numbered(2);
  images[0].pixels[1] = 0.25f;
  images[1].pixels[1] = 0.5f;
  const auto feeder = makeBatchFeeder(RowKind::Images, images, BatchPlan(2, 2, 1, false, 1), 2, 0);
  std::vector<float> row(kPixels * 2);
  feeder->fetch(row.data());
  EXPECT_EQ(row[2], 0.25f);
  EXPECT_EQ(row[3], 0.5f);
}

} // namespace
} // namespace digits
