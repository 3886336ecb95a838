#include "feed.hpp"
#include "handler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace copse::session {
namespace {

using test::CountingHandler;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A feed whose calls are made when it has begun them.
class CalledFeed {
public:
  CalledFeed(std::uint32_t depth, std::uint32_t readers, Feed::Memory memory = {})
      : feed_(0, 0, 4, depth, readers, readers, calls_.start, std::move(memory)) {
    feed_.beginRun();
  }
  CountingHandler handler;

  Feed *operator->() { return &feed_; }
  void makeAhead() {
    feed_.fill();
    calls_.makeAll(feed_);
  }
  Feed::Row *current(std::uint32_t reader) {
    (void)feed_.current(reader);
    calls_.makeAll(feed_);
    return feed_.current(reader);
  }
  void advance(std::uint32_t reader) {
    feed_.advance(reader);
    calls_.makeAll(feed_);
  }

private:
  test::CallMaker calls_{handler};
  Feed feed_;
};

TEST(Feed, FetchesOnlyWhenAllRowsBeforeAreComplete) {
  CalledFeed feed(0, 2);
  EXPECT_NE(feed.current(0), nullptr);
  feed.advance(0);
  EXPECT_EQ(feed.current(0), nullptr) << "reader 1 has not read the first row";
  EXPECT_NE(feed.current(1), nullptr);
  feed.advance(1);
  EXPECT_NE(feed.current(0), nullptr);
  EXPECT_THAT(feed.handler.calls, ElementsAre("fetch", "complete", "fetch"));
}

TEST(Feed, DoesNotWaitForAReaderThatIsFinished) {
  CalledFeed feed(0, 2);
  feed.current(0);
  feed.advance(0);
  EXPECT_TRUE(feed->finish(1));
  EXPECT_TRUE(feed->missed(1));
  EXPECT_NE(feed.current(0), nullptr);
  EXPECT_THAT(feed.handler.calls, ElementsAre("fetch", "complete", "fetch"));
}

TEST(Feed, HasOneCallUnderWayAtATime) {
  CountingHandler handler;
  test::CallMaker calls(handler);
  Feed feed(0, 0, 4, 2, 1, 1, calls.start);
  feed.beginRun();
  feed.fill();
  const auto call = feed.call();
  ASSERT_NE(call, nullptr);
  feed.fill();
  EXPECT_EQ(feed.current(0), nullptr);
  EXPECT_EQ(feed.call(), call);
  calls.makeAll(feed);
  EXPECT_EQ(feed.call(), nullptr);
  EXPECT_NE(feed.current(0), nullptr);
}

TEST(Feed, KeepsUnreadRows) {
  CalledFeed feed(2, 1);
  feed.makeAhead();
  feed->finish(0);
  EXPECT_EQ(feed->rows().size(), 2U);
  feed->beginRun();
  feed.makeAhead();
  EXPECT_THAT(feed.handler.calls, ElementsAre("prefetch", "prefetch"));
}

TEST(Feed, PrefetchesNothingInARunOfAnotherProgram) {
  CalledFeed feed(2, 1);
  feed->beginRun(false);
  feed.makeAhead(); // like a prefetch of an earlier run
  EXPECT_THAT(feed.handler.calls, IsEmpty());
  feed->beginRun(true);
  feed.makeAhead();
  EXPECT_THAT(feed.handler.calls, ElementsAre("prefetch", "prefetch"));
}

TEST(Feed, FillsRowsInTheGivenMemory) {
  std::vector<std::byte> memory(4);
  CalledFeed feed(1, 1, [&](std::size_t bytes) {
    EXPECT_EQ(bytes, memory.size());
    return fabric::Payload({memory.data(), memory.size()}, nullptr);
  });
  feed.makeAhead();
  ASSERT_EQ(feed->rows().size(), 1U);
  EXPECT_EQ(feed->rows().front().bytes.data(), memory.data());
}

TEST(Feed, AsksPrefetchOncePerRowAndThenFetches) {
  CalledFeed feed(3, 1);
  feed.handler.ahead = 1;
  feed.makeAhead();
  feed.makeAhead();
  EXPECT_THAT(feed.handler.calls, ElementsAre("prefetch", "prefetch"));
  EXPECT_TRUE(feed.current(0)->prefetched);
  feed.advance(0);
  EXPECT_FALSE(feed.current(0)->prefetched);
  EXPECT_THAT(feed.handler.calls, ElementsAre("prefetch", "prefetch", "complete", "fetch"));
}

TEST(Feed, NumbersRowsFromTheLoad) {
  CalledFeed feed(2, 1);
  feed.makeAhead();
  EXPECT_EQ(feed->sequence(0, 1), 1U);
  feed.advance(0);
  EXPECT_EQ(feed->sequence(0, 0), 1U);
  feed->finish(0);
  feed->beginRun();
  EXPECT_EQ(feed->sequence(0, 0), 1U);
}

TEST(Feed, IsEmptyAfterADrop) {
  CalledFeed feed(2, 1);
  EXPECT_FALSE(feed->drop());
  feed.makeAhead();
  EXPECT_TRUE(feed->drop());
  EXPECT_THAT(feed->rows(), IsEmpty());
}

} // namespace
} // namespace copse::session
