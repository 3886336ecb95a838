#include "fabric/loop_turns.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>

namespace copse::fabric {
namespace {

using namespace std::chrono_literals;
using Clock = LoopTurns::Clock;

constexpr auto kLongEnough = 10s;
constexpr auto kMostOfPatience = std::chrono::microseconds(LoopTurns::kPatience) * 9 / 10;
Clock::time_point soon() { return Clock::now() + kLongEnough; }

template <class T> bool isThere(std::future<T> &result) {
  return result.wait_for(kLongEnough) == std::future_status::ready;
}

/// The test's thread is the own one, or a guest; others come where two meet.
class Turns : public ::testing::Test {
protected:
  std::promise<void> interrupted;
  std::atomic<int> interruptions{0};
  LoopTurns turns{[this] {
    if (++interruptions == 1)
      interrupted.set_value();
  }};
};

TEST_F(Turns, BelongToTheOwnThreadWhereThereIsNoGuest) {
  ASSERT_TRUE(turns.awaitOwn());
  EXPECT_TRUE(turns.isMine());
  turns.endOwn();
  EXPECT_FALSE(turns.isMine());
  EXPECT_TRUE(turns.awaitOwn());
  turns.endOwn();
}

TEST_F(Turns, OfAGuestNeedNobodyElse) {
  {
    const LoopTurns::Visit visit(turns, Clock::time_point::min());
    ASSERT_TRUE(visit);
    EXPECT_TRUE(turns.isMine());
  }
  EXPECT_FALSE(turns.isMine());
  EXPECT_TRUE(turns.isGuest()) << "it is expected back";
  EXPECT_EQ(interruptions, 0);
}

TEST_F(Turns, OfAGuestAreNotHadWithoutWaitingWhileTheOwnThreadHasTheLoop) {
  ASSERT_TRUE(turns.awaitOwn());
  std::thread guest([&] {
    const LoopTurns::Visit visit(turns, Clock::time_point::min());
    EXPECT_FALSE(visit);
  });
  guest.join();
  EXPECT_EQ(interruptions, 0) << "the own thread was disturbed for nothing";
  turns.endOwn();
}

TEST_F(Turns, AreGivenUpAtTheDeadline) {
  ASSERT_TRUE(turns.awaitOwn());
  std::thread guest([&] {
    const LoopTurns::Visit visit(turns, Clock::now() + 20ms);
    EXPECT_FALSE(visit);
  });
  guest.join(); // and the own thread has not moved
  turns.endOwn();
  EXPECT_TRUE(turns.awaitOwn()) << "it waits for a guest who has gone";
  turns.endOwn();
}

TEST_F(Turns, GoToTheGuestWhoInterruptsAlsoWhenTheOwnThreadIsCalledMeanwhile) {
  ASSERT_TRUE(turns.awaitOwn());
  std::promise<void> leave;
  auto taken = std::async(std::launch::async, [&] {
    const LoopTurns::Visit visit(turns, soon());
    const bool got = static_cast<bool>(visit);
    leave.set_value();
    return got;
  });
  interrupted.get_future().wait();
  turns.call();
  turns.endOwn();
  turns.call(); // once more, while nobody has the loop and the guest is about to take it
  auto own = std::async(std::launch::async, [&] { return turns.awaitOwn(); });
  ASSERT_TRUE(isThere(taken)) << "the own thread does not let the guest in";
  EXPECT_TRUE(taken.get());
  ASSERT_TRUE(isThere(own));
  EXPECT_TRUE(own.get());
}

TEST_F(Turns, WaitForAGuestsReturnAndNotForEver) {
  { const LoopTurns::Visit visit(turns, soon()); }
  const auto left = Clock::now();
  ASSERT_TRUE(turns.awaitOwn());
  EXPECT_GE(Clock::now() - left, kMostOfPatience);
  EXPECT_FALSE(turns.isGuest());
  turns.endOwn();
}

TEST_F(Turns, DoNotWaitForAGuestsReturnOnceTheOwnThreadIsCalled) {
  int waited = 0; // of a few tries, for the machine may be busy
  for (int i = 0; i < 20; ++i) {
    { const LoopTurns::Visit visit(turns, soon()); }
    turns.call();
    const auto called = Clock::now();
    ASSERT_TRUE(turns.awaitOwn());
    waited += Clock::now() - called >= kMostOfPatience ? 1 : 0;
    turns.endOwn();
  }
  EXPECT_LT(waited, 20);
}

TEST_F(Turns, ComeToTheOwnThreadAfterAGuestsLongStay) {
  std::optional<LoopTurns::Visit> visit(std::in_place, turns, soon());
  auto own = std::async(std::launch::async, [&] { return turns.awaitOwn(); });
  std::this_thread::sleep_for(20 * LoopTurns::kPatience); // it has stopped looking
  EXPECT_EQ(own.wait_for(0ms), std::future_status::timeout);
  visit.reset();
  ASSERT_TRUE(isThere(own)) << "nobody told it";
  EXPECT_TRUE(own.get());
}

TEST_F(Turns, EndWhenTheGuestHasLeft) {
  std::promise<void> inside;
  std::atomic<bool> left{false};
  std::thread guest([&] {
    const LoopTurns::Visit visit(turns, soon());
    inside.set_value();
    std::this_thread::sleep_for(20ms);
    left = true;
  });
  inside.get_future().wait();
  turns.stop();
  EXPECT_TRUE(left);
  guest.join();
  EXPECT_FALSE(turns.awaitOwn());
  EXPECT_FALSE(LoopTurns::Visit(turns, soon()));
}

} // namespace
} // namespace copse::fabric
