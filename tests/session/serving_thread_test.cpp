#include "call_guard.hpp"
#include "handler.hpp"
#include "serving_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

namespace copse::session {
namespace {

using namespace std::chrono_literals;

class ServingThreadTurns : public ::testing::Test {
protected:
  test::CountingHandler handler_;
  CallGuard guard_{handler_, 10s};
  ServingThread thread_;
};

TEST_F(ServingThreadTurns, StayWithAThreadWhoseCallsAreShort) {
  int begun = 0, made = 0;
  const bool ended = thread_.run(
      [&](ServingThread::Turn &turn) {
        ++begun;
        for (int i = 0; i < 100; ++i)
          EXPECT_TRUE(turn.make([&] { ++made; }));
      },
      guard_);
  EXPECT_TRUE(ended);
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(made, 100);
}

TEST_F(ServingThreadTurns, GoToAnotherThreadWhileACallIsLong) {
  std::promise<void> anotherServes, firstIsThrough;
  std::atomic<int> begun{0};
  std::atomic<bool> keptTurn{true};
  const bool ended = thread_.run(
      [&](ServingThread::Turn &turn) {
        if (++begun == 2)
          return anotherServes.set_value();
        keptTurn = turn.make([&] { anotherServes.get_future().wait(); });
        firstIsThrough.set_value();
      },
      guard_);
  EXPECT_TRUE(ended) << "the call was waiting for it";
  firstIsThrough.get_future().wait();
  EXPECT_EQ(begun, 2);
  EXPECT_FALSE(keptTurn);
}

TEST_F(ServingThreadTurns, EndWithTheNextThreadThoughTheFirstNeverReturns) {
  const auto returns = std::make_shared<std::promise<void>>();
  const auto begun = std::make_shared<std::atomic<int>>(0);
  const auto work = [returns, begun](ServingThread::Turn &turn) {
    if (++*begun == 1)
      (void)turn.make([&] { returns->get_future().wait(); });
  };
  EXPECT_TRUE(thread_.run(work, guard_));
  std::atomic<bool> served{false};
  EXPECT_TRUE(thread_.run([&](ServingThread::Turn &) { served = true; }, guard_));
  EXPECT_TRUE(served);
  returns->set_value();
}

TEST_F(ServingThreadTurns, BringExceptionsOfWhoeverServesLast) {
  std::atomic<int> begun{0};
  std::promise<void> last;
  EXPECT_THROW(thread_.run(
                   [&](ServingThread::Turn &turn) {
                     if (++begun == 2)
                       throw std::runtime_error("of the second");
                     (void)turn.make([&] { std::this_thread::sleep_for(50ms); });
                     last.set_value();
                   },
                   guard_),
               std::runtime_error);
  last.get_future().wait();
}

} // namespace
} // namespace copse::session
