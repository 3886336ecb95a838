#include "attendance.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <thread>

namespace copse::fabric {
namespace {

using namespace std::chrono_literals;

/// A ring with one message at most.
class OneMessage : public ::testing::Test {
protected:
  void SetUp() override {
    reactor_.call([&] {
      auto bell = Doorbell::create();
      bell_.emplace(std::move(*bell));
      attendance_.emplace(
          reactor_, *bell_, [this] { return message_.load(); }, [this] { message_ = false; });
      attendance_->watch();
    });
  }
  void TearDown() override {
    reactor_.call([&] { attendance_.reset(); });
  }

  /// Sends a message that can wait for a visitor, and \returns whether it does for so long.
  bool waitsForVisitor(Attendance::Clock::duration time) {
    message_ = true;
    bell_->ring(false);
    std::this_thread::sleep_for(time);
    return message_;
  }

  Reactor reactor_{"test"};
  std::atomic<bool> message_{false};
  std::optional<Doorbell> bell_;
  std::optional<Attendance> attendance_;
};

TEST_F(OneMessage, EndsAVisit) {
  const auto seen = attendance_->interrupts();
  const auto sender = std::async(std::launch::async, [&] {
    std::this_thread::sleep_for(5ms);
    message_ = true;
    bell_->ring();
  });
  attendance_->visit(seen, Attendance::Clock::now() + 20s);
  EXPECT_FALSE(message_) << "the visitor has taken it";
}

// Its sender saw that somebody looks, and did not ring: a packet for another node would wait for kPatience.
TEST_F(OneMessage, ThatComesDuringAVisitDoesNotWaitForTheNext) {
  const auto seen = attendance_->interrupts();
  attendance_->interrupt(); // what the visitor waits for has come, by another thread
  message_ = true;
  attendance_->visit(seen, Attendance::Clock::now() + 20s);
  EXPECT_FALSE(message_);
}

// One that never waits, as its messages come before it does, would have another thread woken for each of them.
TEST_F(OneMessage, WaitsForOneThatHasPassedBy) {
  bool waits = false;
  for (int tries = 0; tries < 5 && !waits;
       ++tries) { // this thread may lose its core for longer than kPatience
    attendance_->passBy();
    waits = waitsForVisitor(Attendance::kPatience / 5);
  }
  EXPECT_TRUE(waits);
  const auto deadline = Attendance::Clock::now() + 20s;
  while (message_ && Attendance::Clock::now() < deadline)
    std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(message_) << "nobody has come for it";
}

TEST_F(OneMessage, WaitsLongerForOneThatHasKeptComing) {
  bool waits = false;
  for (int tries = 0; tries < 5 && !waits; ++tries) {
    const auto end = Attendance::Clock::now() + Attendance::kMostPatience;
    while (Attendance::Clock::now() < end) {
      attendance_->passBy();
      std::this_thread::sleep_for(Attendance::kPatience / 10);
    }
    waits = waitsForVisitor(5 * Attendance::kPatience / 2); // two looks, if it had not kept coming
  }
  EXPECT_TRUE(waits);
}

} // namespace
} // namespace copse::fabric
