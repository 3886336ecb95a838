#include "call_threads.hpp"
#include "handler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

namespace copse::session {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

/// Knows on which thread a prefetch was last made.
class ThreadHandler : public test::CountingHandler {
public:
  std::thread::id thread;
  std::shared_future<void> wait; ///< a fetch does
  std::promise<void> fetchBegins;

  void fetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) override {
    fetchBegins.set_value();
    wait.wait();
    CountingHandler::fetch(stream, replica, row);
  }
  bool prefetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) override {
    thread = std::this_thread::get_id();
    return CountingHandler::prefetch(stream, replica, row);
  }
};

class ThreadsOfCalls : public ::testing::Test {
protected:
  static std::shared_ptr<StreamCall> callOf(StreamCall::Kind kind, bool isQuick = false) {
    auto call = std::make_shared<StreamCall>();
    call->kind = kind;
    call->isQuick = isQuick;
    return call;
  }
  bool awaitQuiet() { return threads_.awaitQuiet(CallThreads::Clock::now() + 20s); }

  ThreadHandler handler_;
  std::atomic<int> ends_{0};
  CallThreads threads_{[this] { ++ends_; }};
};

TEST_F(ThreadsOfCalls, MakeThoseThatAreNotQuick) {
  threads_.start(callOf(StreamCall::Kind::Prefetch), handler_);
  EXPECT_FALSE(threads_.wantsHelp());
  ASSERT_TRUE(awaitQuiet());
  EXPECT_NE(handler_.thread, std::this_thread::get_id());
  EXPECT_EQ(threads_.ended().size(), 1U);
  threads_.close();
  EXPECT_EQ(ends_, 1);
}

TEST_F(ThreadsOfCalls, LeaveQuickOnesToTheHelper) {
  const auto call = callOf(StreamCall::Kind::Prefetch, true);
  threads_.start(call, handler_);
  EXPECT_TRUE(threads_.wantsHelp());
  EXPECT_TRUE(threads_.busy());
  threads_.helpOut();
  EXPECT_EQ(handler_.thread, std::this_thread::get_id());
  EXPECT_THAT(threads_.ended(), ElementsAre(call));
  EXPECT_FALSE(threads_.busy());
  EXPECT_FALSE(threads_.wantsHelp());
  EXPECT_EQ(ends_, 0) << "the helper knows";
}

TEST_F(ThreadsOfCalls, MakeQuickOnesThatHaveNoTurnYet) {
  std::promise<void> goOn;
  handler_.wait = goOn.get_future().share();
  threads_.start(callOf(StreamCall::Kind::Prefetch, true), handler_);
  threads_.start(callOf(StreamCall::Kind::Fetch), handler_);
  ASSERT_TRUE(handler_.fetchBegins.get_future().wait_for(20s) == std::future_status::ready);
  threads_.helpOut();
  EXPECT_FALSE(threads_.wantsHelp());
  EXPECT_THAT(handler_.calls, ElementsAre());
  goOn.set_value();
  ASSERT_TRUE(awaitQuiet());
  EXPECT_THAT(handler_.calls, ElementsAre("fetch", "prefetch"));
}

TEST_F(ThreadsOfCalls, MakeQuickOnesBesideTheHelperIfTheyHaveTurns) {
  threads_.use(2, true);
  for (int call = 0; call < 2; ++call)
    threads_.start(callOf(StreamCall::Kind::Prefetch, true), handler_);
  std::size_t ended = 0; // the second, on a thread
  for (const auto deadline = CallThreads::Clock::now() + 20s;
       ended == 0 && CallThreads::Clock::now() < deadline; std::this_thread::yield())
    ended = threads_.ended().size();
  ASSERT_EQ(ended, 1U);
  EXPECT_NE(handler_.thread, std::this_thread::get_id());
  EXPECT_TRUE(threads_.wantsHelp());
  threads_.helpOut();
  EXPECT_EQ(handler_.thread, std::this_thread::get_id());
}

TEST_F(ThreadsOfCalls, NeverMakeOnesThatWereCancelled) {
  threads_.start(callOf(StreamCall::Kind::Prefetch, true), handler_);
  EXPECT_EQ(threads_.cancelQueued().size(), 1U);
  threads_.helpOut();
  EXPECT_THAT(handler_.calls, ElementsAre());
}

} // namespace
} // namespace copse::session
