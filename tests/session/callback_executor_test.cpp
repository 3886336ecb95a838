#include "callback_executor.hpp"
#include "handler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

namespace copse::session {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = StreamCall::Kind;

/// Waits in fetch() until it is let go; knows on which thread a prefetch was last made.
class WaitingHandler : public test::CountingHandler {
public:
  std::atomic<std::thread::id> prefetchedOn{};
  std::promise<void> fetchBegins, goOn;

  bool mayWait(Call, std::uint32_t, std::uint32_t) const override { return true; }
  void fetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) override {
    fetchBegins.set_value();
    goOn.get_future().wait();
    CountingHandler::fetch(stream, replica, row);
  }
  bool prefetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) override {
    prefetchedOn = std::this_thread::get_id();
    return CountingHandler::prefetch(stream, replica, row);
  }
  bool fetchHasBegun() {
    return fetchBegins.get_future().wait_for(20s) == std::future_status::ready;
  }
};

class Executor : public ::testing::Test {
protected:
  /// By default no call counts as long, because a busy machine may stop a thread for a while.
  explicit Executor(CallbackExecutor::Clock::duration longestCall = 1min)
      : calls_([this] { ++ends_; }, longestCall) {}

  static std::shared_ptr<StreamCall> callOf(Kind kind, bool isQuick = false) {
    auto call = std::make_shared<StreamCall>();
    call->kind = kind;
    call->isQuick = isQuick;
    return call;
  }
  void serve(std::function<void()> work) { calls_.serve(handler_, std::move(work)); }
  bool awaitQuiet() { return calls_.awaitQuiet(CallbackExecutor::Clock::now() + 20s); }
  /// Waits for ends of calls on other threads.
  std::vector<CallbackExecutor::CallPtr> awaitEnded() {
    std::vector<CallbackExecutor::CallPtr> ended;
    for (const auto deadline = CallbackExecutor::Clock::now() + 20s;
         ended.empty() && CallbackExecutor::Clock::now() < deadline; std::this_thread::yield())
      ended = calls_.ended();
    return ended;
  }

  WaitingHandler handler_;
  std::atomic<int> ends_{0};
  CallbackExecutor calls_;
};

/// Calls that wait count as long.
class ExecutorOfLongCalls : public Executor {
protected:
  ExecutorOfLongCalls() : Executor(CallbackExecutor::kLongestCall) {}
};

TEST_F(Executor, MakesCallsThatMayWaitOnOtherThreads) {
  serve([&] {
    calls_.start(callOf(Kind::Prefetch));
    EXPECT_EQ(calls_.nextHere(), nullptr);
    ASSERT_TRUE(awaitQuiet());
    EXPECT_NE(handler_.prefetchedOn.load(), std::this_thread::get_id());
    EXPECT_EQ(calls_.ended().size(), 1U);
  });
  calls_.close();
  EXPECT_EQ(ends_, 1);
}

TEST_F(Executor, MakesQuickCallsOnTheServingThread) {
  serve([&] {
    const auto call = callOf(Kind::Prefetch, true);
    calls_.start(call);
    EXPECT_EQ(calls_.nextHere(), call);
    EXPECT_TRUE(calls_.busy());
    EXPECT_TRUE(calls_.makeCall());
    EXPECT_EQ(handler_.prefetchedOn.load(), std::this_thread::get_id());
    EXPECT_THAT(calls_.ended(), ElementsAre(call));
    EXPECT_FALSE(calls_.busy());
    EXPECT_EQ(calls_.nextHere(), nullptr);
  });
  EXPECT_EQ(ends_, 0) << "the thread knows";
}

TEST_F(Executor, MakesCallsOnTheServingThreadUnlessTheyArePrefetches) {
  handler_.goOn.set_value();
  serve([&] {
    calls_.start(callOf(Kind::Fetch));
    EXPECT_NE(calls_.nextHere(), nullptr);
    EXPECT_TRUE(calls_.makeCall());
    EXPECT_EQ(calls_.ended().size(), 1U);
  });
}

TEST_F(Executor, GivesCallsTheirTurnsInOrder) {
  serve([&] {
    calls_.use(1);
    calls_.start(callOf(Kind::Fetch));
    ASSERT_TRUE(handler_.fetchHasBegun());
    calls_.start(callOf(Kind::Complete));
    handler_.goOn.set_value();
    ASSERT_TRUE(awaitQuiet());
    EXPECT_THAT(handler_.calls, ElementsAre("fetch", "complete"));
  });
}

TEST_F(ExecutorOfLongCalls, MakesCallsWithoutATurnOnOtherThreads) {
  std::atomic<int> threads{0};
  serve([&] {
    if (++threads == 1) {
      calls_.start(callOf(Kind::Fetch));
      calls_.start(callOf(Kind::Complete));
      EXPECT_FALSE(calls_.makeCall()) << "it waits until another thread lets it go";
      return;
    }
    EXPECT_TRUE(calls_.makeCall());
    EXPECT_EQ(calls_.nextHere(), nullptr);
    EXPECT_THAT(handler_.calls, IsEmpty());
    handler_.goOn.set_value();
    ASSERT_TRUE(awaitQuiet());
    EXPECT_THAT(handler_.calls, ElementsAre("fetch", "complete"));
  });
  EXPECT_EQ(threads, 2);
}

TEST_F(Executor, MakesQuickCallsBesideTheServingThreadIfTheyHaveTurns) {
  serve([&] {
    calls_.use(2);
    for (int call = 0; call < 2; ++call)
      calls_.start(callOf(Kind::Prefetch, true));
    ASSERT_EQ(awaitEnded().size(), 1U); // the second, on another thread
    EXPECT_NE(handler_.prefetchedOn.load(), std::this_thread::get_id());
    EXPECT_NE(calls_.nextHere(), nullptr);
    EXPECT_TRUE(calls_.makeCall());
    EXPECT_EQ(handler_.prefetchedOn.load(), std::this_thread::get_id());
  });
}

TEST_F(Executor, NeverMakesCallsThatWereCancelled) {
  serve([&] {
    calls_.start(callOf(Kind::Prefetch, true));
    EXPECT_EQ(calls_.cancelQueued().size(), 1U);
    EXPECT_TRUE(calls_.makeCall());
    EXPECT_THAT(handler_.calls, IsEmpty());
  });
}

TEST_F(Executor, KeepsWorkOnAThreadWhoseCallsAreShort) {
  int begun = 0;
  serve([&] {
    ++begun;
    for (int i = 0; i < 100; ++i) {
      calls_.start(callOf(Kind::Complete));
      EXPECT_TRUE(calls_.makeCall());
    }
  });
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(handler_.calls.size(), 100U);
}

TEST_F(ExecutorOfLongCalls, NotifiesTheNextThreadOfALongCall) {
  std::atomic<int> begun{0};
  const auto call = callOf(Kind::Fetch);
  serve([&] {
    if (++begun == 1) {
      calls_.start(call);
      EXPECT_FALSE(calls_.makeCall());
      return;
    }
    EXPECT_THAT(calls_.ended(), IsEmpty());
    handler_.goOn.set_value();
    EXPECT_THAT(awaitEnded(), ElementsAre(call));
  });
  EXPECT_EQ(begun, 2);
  calls_.close();
  EXPECT_EQ(ends_, 1);
}

TEST_F(ExecutorOfLongCalls, AbandonsACallThatDoesNotReturnInTime) {
  std::atomic<int> begun{0};
  const auto call = callOf(Kind::Fetch);
  call->neededSince = CallbackExecutor::Clock::now();
  serve([&] {
    if (++begun == 1) {
      calls_.start(call);
      (void)calls_.makeCall();
      return;
    }
    EXPECT_EQ(calls_.abandonOverdue(0ms), nullptr) << "there is no limit";
    EXPECT_EQ(calls_.abandonOverdue(1h), nullptr);
    std::this_thread::sleep_until(calls_.nextOverdue(10ms));
    EXPECT_EQ(calls_.abandonOverdue(10ms), call);
    EXPECT_EQ(calls_.abandonOverdue(10ms), nullptr);
    EXPECT_FALSE(calls_.busy());
  });
  bool served = false;
  serve([&] { served = true; });
  EXPECT_TRUE(served);
  handler_.goOn.set_value();
  while (call.use_count() > 1) // until it has returned
    std::this_thread::yield();
  EXPECT_THAT(calls_.ended(), IsEmpty());
  EXPECT_EQ(ends_, 0);
}

TEST_F(Executor, KnowsTheDeadlineOfANeededCallBeforeItBegins) {
  serve([&] {
    calls_.use(1);
    const auto call = callOf(Kind::Fetch);
    call->neededSince = CallbackExecutor::Clock::now();
    calls_.start(call); // most likely, no thread has taken it yet
    EXPECT_NE(calls_.nextOverdue(1h), CallbackExecutor::Clock::time_point::max());
    ASSERT_TRUE(handler_.fetchHasBegun());
    handler_.goOn.set_value();
    ASSERT_TRUE(awaitQuiet());
  });
}

TEST_F(Executor, KeepsExceptionsOfCallbacksInTheirCalls) {
  class Throwing : public test::CountingHandler {
    void complete(std::uint32_t, std::uint32_t) override { throw std::runtime_error("no"); }
  } handler;
  calls_.serve(handler, [&] {
    calls_.start(callOf(Kind::Complete));
    EXPECT_TRUE(calls_.makeCall());
    const auto ended = calls_.ended();
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_THROW(std::rethrow_exception(ended[0]->thrown), std::runtime_error);
  });
}

TEST_F(ExecutorOfLongCalls, PassesOnExceptionsOfTheLastServingThread) {
  std::atomic<int> begun{0};
  EXPECT_THROW(serve([&] {
                 if (++begun == 2) {
                   handler_.goOn.set_value();
                   throw std::runtime_error("of the second");
                 }
                 calls_.start(callOf(Kind::Fetch));
                 (void)calls_.makeCall();
                 throw std::logic_error("of the first");
               }),
               std::runtime_error);
  EXPECT_TRUE(awaitQuiet());
}

} // namespace
} // namespace copse::session
