#include "feed.hpp"
#include "handler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace copse::session {
namespace {

using test::CountingHandler;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Feed, FetchesOnlyWhenAllRowsBeforeAreComplete) {
  CountingHandler handler;
  Feed feed(0, 0, 4, 0, 2, 2);
  feed.beginRun();
  EXPECT_NE(feed.current(0, handler.callbacks), nullptr);
  feed.advance(0, handler.callbacks);
  EXPECT_EQ(feed.current(0, handler.callbacks), nullptr) << "reader 1 has not read the first row";
  EXPECT_NE(feed.current(1, handler.callbacks), nullptr);
  feed.advance(1, handler.callbacks);
  EXPECT_NE(feed.current(0, handler.callbacks), nullptr);
  EXPECT_THAT(handler.calls, ElementsAre("fetch", "complete", "fetch"));
}

TEST(Feed, DoesNotWaitForAReaderThatIsFinished) {
  CountingHandler handler;
  Feed feed(0, 0, 4, 0, 2, 2);
  feed.beginRun();
  feed.current(0, handler.callbacks);
  feed.advance(0, handler.callbacks);
  EXPECT_TRUE(feed.finish(1, handler.callbacks));
  EXPECT_TRUE(feed.missed(1));
  EXPECT_NE(feed.current(0, handler.callbacks), nullptr);
  EXPECT_THAT(handler.calls, ElementsAre("fetch", "complete", "fetch"));
}

TEST(Feed, KeepsRowsThatNobodyHasRead) {
  CountingHandler handler;
  Feed feed(0, 0, 4, 2, 1, 1);
  feed.beginRun();
  feed.fill(handler.callbacks);
  feed.finish(0, handler.callbacks);
  EXPECT_EQ(feed.rows().size(), 2U);
  feed.beginRun();
  feed.fill(handler.callbacks);
  EXPECT_THAT(handler.calls, ElementsAre("prefetch", "prefetch"));
}

TEST(Feed, MakesNothingAheadInARunOfAnotherProgram) {
  CountingHandler handler;
  Feed feed(0, 0, 4, 2, 1, 1);
  feed.beginRun(false);
  feed.fill(handler.callbacks); // as after a prefetch of an earlier run
  EXPECT_THAT(handler.calls, IsEmpty());
  feed.beginRun(true);
  feed.fill(handler.callbacks);
  EXPECT_THAT(handler.calls, ElementsAre("prefetch", "prefetch"));
}

TEST(Feed, MakesRowsInTheMemoryThatItIsGiven) {
  CountingHandler handler;
  std::vector<std::byte> memory(4);
  Feed feed(0, 0, 4, 1, 1, 1, [&](std::size_t bytes) {
    EXPECT_EQ(bytes, memory.size());
    return fabric::Payload({memory.data(), memory.size()}, nullptr);
  });
  feed.beginRun();
  feed.fill(handler.callbacks);
  ASSERT_EQ(feed.rows().size(), 1U);
  EXPECT_EQ(feed.rows().front().bytes.data(), memory.data());
}

TEST(Feed, AsksPrefetchOncePerRowAndThenFetches) {
  CountingHandler handler;
  handler.ahead = 1;
  Feed feed(0, 0, 4, 3, 1, 1);
  feed.beginRun();
  feed.fill(handler.callbacks);
  feed.fill(handler.callbacks);
  EXPECT_THAT(handler.calls, ElementsAre("prefetch", "prefetch"));
  EXPECT_TRUE(feed.current(0, handler.callbacks)->prefetched);
  feed.advance(0, handler.callbacks);
  EXPECT_FALSE(feed.current(0, handler.callbacks)->prefetched);
  EXPECT_THAT(handler.calls, ElementsAre("prefetch", "prefetch", "complete", "fetch"));
}

TEST(Feed, NumbersRowsFromTheLoadOn) {
  CountingHandler handler;
  Feed feed(0, 0, 4, 2, 1, 1);
  feed.beginRun();
  feed.fill(handler.callbacks);
  EXPECT_EQ(feed.sequence(0, 1), 1U);
  feed.advance(0, handler.callbacks);
  EXPECT_EQ(feed.sequence(0, 0), 1U);
  feed.finish(0, handler.callbacks);
  feed.beginRun();
  EXPECT_EQ(feed.sequence(0, 0), 1U);
}

TEST(Feed, HasNothingAfterADrop) {
  CountingHandler handler;
  Feed feed(0, 0, 4, 2, 1, 1);
  EXPECT_FALSE(feed.drop());
  feed.beginRun();
  feed.fill(handler.callbacks);
  EXPECT_TRUE(feed.drop());
  EXPECT_THAT(feed.rows(), IsEmpty());
}

} // namespace
} // namespace copse::session
