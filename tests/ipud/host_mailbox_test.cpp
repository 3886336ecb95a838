#include "daemon/host_mailbox.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>

namespace copse::ipud {
namespace {

using namespace std::chrono_literals;
using wire::Code;
using wire::Status;

constexpr std::uint32_t kStream = 3;

HostMailbox::Row row(std::uint64_t sequence) { return {fabric::Payload(8), sequence, true}; }

/// Runs a wait on a thread of its own, like the control program.
template <class Wait> auto onRunThread(Wait wait) { return std::async(std::launch::async, wait); }

template <class T> bool isThere(std::future<T> &result) {
  return result.wait_for(10s) == std::future_status::ready;
}

class Mailbox : public ::testing::Test {
protected:
  fabric::Reactor reactor{"test"};
  HostMailbox mailbox{reactor};
};

TEST_F(Mailbox, ReturnsTheAwaitedRowAndDropsEarlierOnes) {
  auto awaited = onRunThread([&] { return mailbox.awaitRow(kStream, 5); });
  reactor.call([&] {
    mailbox.putRow(kStream, row(4));
    mailbox.putRow(kStream, row(5));
  });
  ASSERT_TRUE(isThere(awaited));
  const auto got = awaited.get();
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->sequence, 5u);
  EXPECT_FALSE(mailbox.takeRow(kStream, 4, HostMailbox::Clock::time_point::min()));
}

TEST_F(Mailbox, ReturnsTheAnswerToItsOwnRequestOnly) {
  auto awaited = onRunThread([&] { return mailbox.awaitAnswer(2); });
  reactor.call([&] {
    mailbox.putAnswer(1, {}, fabric::Payload(1));
    mailbox.putAnswer(2, {Code::NotFound, "no such row"}, {});
  });
  ASSERT_TRUE(isThere(awaited));
  EXPECT_EQ(awaited.get().status().code, Code::NotFound);
}

TEST_F(Mailbox, HasNoCreditUntilTheHostReturnsOne) {
  ASSERT_TRUE(mailbox.takeCredit(1));
  ASSERT_FALSE(mailbox.takeCredit(1));
  auto awaited = onRunThread([&] { return mailbox.awaitCredit(1); });
  reactor.call([&] { mailbox.returnCredits(1); });
  ASSERT_TRUE(isThere(awaited));
  EXPECT_TRUE(awaited.get().ok());
  EXPECT_FALSE(mailbox.takeCredit(1)) << "it was counted";
}

TEST_F(Mailbox, StopFromAnyThreadEndsTheWaitWithItsReason) {
  auto awaited = onRunThread([&] { return mailbox.awaitRow(kStream, 0).status(); });
  std::this_thread::sleep_for(5 * fabric::LoopPoller::kTakeOverTimeout); // it waits in the loop
  mailbox.stop({Code::Disconnected, "a link is down"});
  ASSERT_TRUE(isThere(awaited));
  EXPECT_EQ(awaited.get().message, "a link is down");
}

TEST_F(Mailbox, EndOfTheReactorEndsTheWait) {
  auto awaited = onRunThread([&] { return mailbox.awaitCredit(0); });
  std::this_thread::sleep_for(5 * fabric::LoopPoller::kTakeOverTimeout);
  reactor.stop();
  ASSERT_TRUE(isThere(awaited));
  EXPECT_EQ(awaited.get().code, Code::Cancelled);
}

} // namespace
} // namespace copse::ipud
