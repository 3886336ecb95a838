#include "long_enough.hpp"

#include "fabric/loop_poller.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>

namespace copse::fabric {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kMostOfTimeout = std::chrono::microseconds(LoopPoller::kTakeOverTimeout) * 9 / 10;

template <class T> bool isThere(std::future<T> &result) {
  return result.wait_for(kLongEnough) == std::future_status::ready;
}

/// The test's thread is the own thread, or a waiter; further threads take part where two meet.
class LoopPollerTest : public ::testing::Test {
protected:
  std::promise<void> interrupted;
  std::atomic<int> interruptions{0};
  LoopPoller poller{[this] {
    if (++interruptions == 1)
      interrupted.set_value();
  }};
};

TEST_F(LoopPollerTest, OwnThreadPollsWithoutAWaiter) {
  ASSERT_TRUE(poller.awaitOwn());
  EXPECT_TRUE(poller.isPoller());
  poller.endOwn();
  EXPECT_FALSE(poller.isPoller());
  EXPECT_TRUE(poller.awaitOwn());
  poller.endOwn();
}

TEST_F(LoopPollerTest, WaiterPollsWithoutTheOwnThread) {
  {
    const LoopPoller::Turn turn(poller, Clock::time_point::min());
    ASSERT_TRUE(turn);
    EXPECT_TRUE(poller.isPoller());
  }
  EXPECT_FALSE(poller.isPoller());
  EXPECT_TRUE(poller.isWaiter()) << "it is expected back";
  EXPECT_EQ(interruptions, 0);
}

TEST_F(LoopPollerTest, WaiterWithoutTimeIsRefusedWhileTheOwnThreadPolls) {
  ASSERT_TRUE(poller.awaitOwn());
  std::thread waiter([&] {
    const LoopPoller::Turn turn(poller, Clock::time_point::min());
    EXPECT_FALSE(turn);
  });
  waiter.join();
  EXPECT_EQ(interruptions, 0) << "the own thread was disturbed for nothing";
  poller.endOwn();
}

TEST_F(LoopPollerTest, WaiterStopsWaitingAtItsDeadline) {
  ASSERT_TRUE(poller.awaitOwn());
  std::thread waiter([&] {
    const LoopPoller::Turn turn(poller, Clock::now() + 20ms);
    EXPECT_FALSE(turn);
  });
  waiter.join(); // and the own thread has not moved
  poller.endOwn();
  EXPECT_TRUE(poller.awaitOwn()) << "it waits for a waiter that has gone";
  poller.endOwn();
}

TEST_F(LoopPollerTest, InterruptingWaiterPollsEvenIfTheOwnThreadIsCalled) {
  ASSERT_TRUE(poller.awaitOwn());
  std::promise<void> leave;
  auto taken = std::async(std::launch::async, [&] {
    const LoopPoller::Turn turn(poller, longEnough());
    const bool got = static_cast<bool>(turn);
    leave.set_value();
    return got;
  });
  interrupted.get_future().wait();
  poller.call();
  poller.endOwn();
  poller.call(); // once more, while no thread has the loop and the waiter is about to take it
  auto own = std::async(std::launch::async, [&] { return poller.awaitOwn(); });
  ASSERT_TRUE(isThere(taken)) << "the own thread does not let the waiter in";
  EXPECT_TRUE(taken.get());
  ASSERT_TRUE(isThere(own));
  EXPECT_TRUE(own.get());
}

TEST_F(LoopPollerTest, OwnThreadWaitsOnlyBrieflyForAWaitersReturn) {
  { const LoopPoller::Turn turn(poller, longEnough()); }
  const auto left = Clock::now();
  ASSERT_TRUE(poller.awaitOwn());
  EXPECT_GE(Clock::now() - left, kMostOfTimeout);
  EXPECT_FALSE(poller.isWaiter());
  poller.endOwn();
}

TEST_F(LoopPollerTest, CalledOwnThreadDoesNotWaitForAWaitersReturn) {
  int waited = 0; // attempts that waited; not all do, as the machine may be busy
  for (int i = 0; i < 20; ++i) {
    {
      const LoopPoller::Turn turn(poller, longEnough());
    }
    poller.call();
    const auto called = Clock::now();
    ASSERT_TRUE(poller.awaitOwn());
    waited += Clock::now() - called >= kMostOfTimeout ? 1 : 0;
    poller.endOwn();
  }
  EXPECT_LT(waited, 20);
}

TEST_F(LoopPollerTest, OwnThreadPollsAgainAfterAWaitersLongStay) {
  std::optional<LoopPoller::Turn> turn(std::in_place, poller, longEnough());
  auto own = std::async(std::launch::async, [&] { return poller.awaitOwn(); });
  while (!poller.ownThreadRests() && Clock::now() < longEnough())
    std::this_thread::yield();
  ASSERT_TRUE(poller.ownThreadRests());
  EXPECT_EQ(own.wait_for(0ms), std::future_status::timeout);
  turn.reset();
  ASSERT_TRUE(isThere(own)) << "it was not woken";
  EXPECT_TRUE(own.get());
}

TEST_F(LoopPollerTest, StopReturnsWhenTheWaiterHasLeft) {
  std::promise<void> inside;
  std::atomic<bool> left{false};
  std::thread waiter([&] {
    const LoopPoller::Turn turn(poller, longEnough());
    inside.set_value();
    std::this_thread::sleep_for(20ms);
    left = true;
  });
  inside.get_future().wait();
  poller.stop();
  EXPECT_TRUE(left);
  waiter.join();
  EXPECT_FALSE(poller.awaitOwn());
  EXPECT_FALSE(LoopPoller::Turn(poller, longEnough()));
}

} // namespace
} // namespace copse::fabric
