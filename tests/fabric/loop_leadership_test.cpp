#include "long_enough.hpp"

#include "fabric/loop_leadership.hpp"

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

constexpr auto kMostOfPatience = std::chrono::microseconds(LoopLeadership::kPatience) * 9 / 10;

template <class T> bool isThere(std::future<T> &result) {
  return result.wait_for(kLongEnough) == std::future_status::ready;
}

/// The test's thread is the own one, or a follower; others come where two meet.
class Leadership : public ::testing::Test {
protected:
  std::promise<void> interrupted;
  std::atomic<int> interruptions{0};
  LoopLeadership leadership{[this] {
    if (++interruptions == 1)
      interrupted.set_value();
  }};
};

TEST_F(Leadership, IsTheOwnThreadsWhileThereIsNoFollower) {
  ASSERT_TRUE(leadership.awaitOwn());
  EXPECT_TRUE(leadership.leads());
  leadership.endOwn();
  EXPECT_FALSE(leadership.leads());
  EXPECT_TRUE(leadership.awaitOwn());
  leadership.endOwn();
}

TEST_F(Leadership, IsTakenByAFollowerWithoutTheOwnThread) {
  {
    const LoopLeadership::Lead lead(leadership, Clock::time_point::min());
    ASSERT_TRUE(lead);
    EXPECT_TRUE(leadership.leads());
  }
  EXPECT_FALSE(leadership.leads());
  EXPECT_TRUE(leadership.isFollower()) << "it is expected back";
  EXPECT_EQ(interruptions, 0);
}

TEST_F(Leadership, IsRefusedToAFollowerThatDoesNotWaitWhileTheOwnThreadLeads) {
  ASSERT_TRUE(leadership.awaitOwn());
  std::thread follower([&] {
    const LoopLeadership::Lead lead(leadership, Clock::time_point::min());
    EXPECT_FALSE(lead);
  });
  follower.join();
  EXPECT_EQ(interruptions, 0) << "the own thread was disturbed for nothing";
  leadership.endOwn();
}

TEST_F(Leadership, IsNotWaitedForBeyondTheDeadline) {
  ASSERT_TRUE(leadership.awaitOwn());
  std::thread follower([&] {
    const LoopLeadership::Lead lead(leadership, Clock::now() + 20ms);
    EXPECT_FALSE(lead);
  });
  follower.join(); // and the own thread has not moved
  leadership.endOwn();
  EXPECT_TRUE(leadership.awaitOwn()) << "it waits for a follower who has gone";
  leadership.endOwn();
}

TEST_F(Leadership, GoesToTheFollowerThatInterruptsAlsoWhenTheOwnThreadIsCalledMeanwhile) {
  ASSERT_TRUE(leadership.awaitOwn());
  std::promise<void> leave;
  auto taken = std::async(std::launch::async, [&] {
    const LoopLeadership::Lead lead(leadership, longEnough());
    const bool got = static_cast<bool>(lead);
    leave.set_value();
    return got;
  });
  interrupted.get_future().wait();
  leadership.call();
  leadership.endOwn();
  leadership.call(); // once more, while nobody has the loop and the follower is about to take it
  auto own = std::async(std::launch::async, [&] { return leadership.awaitOwn(); });
  ASSERT_TRUE(isThere(taken)) << "the own thread does not let the follower in";
  EXPECT_TRUE(taken.get());
  ASSERT_TRUE(isThere(own));
  EXPECT_TRUE(own.get());
}

TEST_F(Leadership, IsKeptForAFollowersReturnButNotForEver) {
  { const LoopLeadership::Lead lead(leadership, longEnough()); }
  const auto left = Clock::now();
  ASSERT_TRUE(leadership.awaitOwn());
  EXPECT_GE(Clock::now() - left, kMostOfPatience);
  EXPECT_FALSE(leadership.isFollower());
  leadership.endOwn();
}

TEST_F(Leadership, IsNotKeptForAFollowersReturnOnceTheOwnThreadIsCalled) {
  int waited = 0; // of a few tries, for the machine may be busy
  for (int i = 0; i < 20; ++i) {
    {
      const LoopLeadership::Lead lead(leadership, longEnough());
    }
    leadership.call();
    const auto called = Clock::now();
    ASSERT_TRUE(leadership.awaitOwn());
    waited += Clock::now() - called >= kMostOfPatience ? 1 : 0;
    leadership.endOwn();
  }
  EXPECT_LT(waited, 20);
}

TEST_F(Leadership, ReturnsToTheOwnThreadAfterAFollowersLongStay) {
  std::optional<LoopLeadership::Lead> lead(std::in_place, leadership, longEnough());
  auto own = std::async(std::launch::async, [&] { return leadership.awaitOwn(); });
  while (!leadership.ownThreadRests() && Clock::now() < longEnough())
    std::this_thread::yield();
  ASSERT_TRUE(leadership.ownThreadRests());
  EXPECT_EQ(own.wait_for(0ms), std::future_status::timeout);
  lead.reset();
  ASSERT_TRUE(isThere(own)) << "nobody told it";
  EXPECT_TRUE(own.get());
}

TEST_F(Leadership, EndsWhenTheFollowerHasLeft) {
  std::promise<void> inside;
  std::atomic<bool> left{false};
  std::thread follower([&] {
    const LoopLeadership::Lead lead(leadership, longEnough());
    inside.set_value();
    std::this_thread::sleep_for(20ms);
    left = true;
  });
  inside.get_future().wait();
  leadership.stop();
  EXPECT_TRUE(left);
  follower.join();
  EXPECT_FALSE(leadership.awaitOwn());
  EXPECT_FALSE(LoopLeadership::Lead(leadership, longEnough()));
}

} // namespace
} // namespace copse::fabric
