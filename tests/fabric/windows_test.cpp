#include "receive_window.hpp"
#include "send_window.hpp"

#include <gtest/gtest.h>

namespace copse::fabric {
namespace {

using Clock = std::chrono::steady_clock;
using Verdict = ReceiveWindow::Verdict;
using wire::Received;
using namespace std::chrono_literals;

constexpr auto kPause = 2ms;

Packet packet(std::uint32_t tag, std::size_t bytes = 1) {
  return {{{0}, {1}, tag, 0}, Payload(bytes), 0};
}

// Sends all there is; returns the tags in the order in which they went.
std::vector<std::uint32_t> transmitAll(SendWindow &window, Clock::time_point now = {}) {
  std::vector<std::uint32_t> tags;
  while (window.somethingToTransmit()) {
    const SendWindow::Outgoing outgoing = window.outgoing();
    tags.push_back(outgoing.packet.header.tag);
    window.transmitted(outgoing, now);
  }
  return tags;
}

using Tags = std::vector<std::uint32_t>;

TEST(SendWindow, NumbersPacketsFromZero) {
  SendWindow window(4, 100, kPause);
  window.push(packet(7));
  window.push(packet(8));
  EXPECT_EQ(window.outgoing().sequence, 0u);
  window.transmitted(window.outgoing(), {});
  EXPECT_EQ(window.outgoing().sequence, 1u);
}

TEST(SendWindow, IsFullUntilThePeerHasConsumed) {
  SendWindow window(2, 100, kPause);
  window.push(packet(0));
  window.push(packet(1));
  EXPECT_FALSE(window.hasRoom(1));
  transmitAll(window);
  ASSERT_TRUE(window.acknowledge(Received{2, 0, 0}, {}));
  EXPECT_FALSE(window.hasRoom(1)) << "arrived is not consumed";
  EXPECT_FALSE(window.unacknowledged());
  ASSERT_TRUE(window.acknowledge(Received{2, 1, 0}, {}));
  EXPECT_TRUE(window.hasRoom(1));
}

TEST(SendWindow, CountsBytesButLetsOneLargePacketTravelAlone) {
  SendWindow window(8, 100, kPause);
  EXPECT_TRUE(window.hasRoom(1000));
  window.push(packet(0, 60));
  EXPECT_TRUE(window.hasRoom(40));
  EXPECT_FALSE(window.hasRoom(41));
}

TEST(SendWindow, RetransmitsExactlyTheMissingPackets) {
  SendWindow window(8, 100, kPause);
  for (std::uint32_t tag = 0; tag < 5; ++tag)
    window.push(packet(tag));
  EXPECT_EQ(transmitAll(window), (Tags{0, 1, 2, 3, 4}));
  ASSERT_TRUE(window.acknowledge(Received{1, 1, 3}, {}));
  EXPECT_EQ(transmitAll(window), (Tags{1, 2}));
}

TEST(SendWindow, WaitsLongerBeforeEachFurtherRetransmission) {
  SendWindow window(8, 100, kPause);
  window.push(packet(0));
  window.push(packet(1));
  const auto reportedAt = [&](Clock::duration time) {
    EXPECT_TRUE(window.acknowledge(Received{0, 0, 1}, Clock::time_point(time)));
    return transmitAll(window, Clock::time_point(time));
  };
  transmitAll(window, Clock::time_point(100ms));
  EXPECT_EQ(reportedAt(100ms), (Tags{0})) << "the first report counts at once";
  EXPECT_EQ(reportedAt(101ms), (Tags{}));
  EXPECT_EQ(reportedAt(102ms), (Tags{0}));
  EXPECT_EQ(reportedAt(105ms), (Tags{}));
  EXPECT_EQ(reportedAt(106ms), (Tags{0}));
  EXPECT_EQ(reportedAt(113ms), (Tags{}));
  EXPECT_EQ(reportedAt(114ms), (Tags{0}));
}

TEST(SendWindow, IgnoresLateReports) {
  SendWindow window(8, 100, kPause);
  window.push(packet(0));
  window.push(packet(1));
  transmitAll(window);
  ASSERT_TRUE(window.acknowledge(Received{2, 2, 0}, {}));
  ASSERT_TRUE(window.acknowledge(Received{0, 0, 2}, {}));
  EXPECT_EQ(transmitAll(window), (Tags{}));
  EXPECT_FALSE(window.unsettled());
}

TEST(SendWindow, RefusesReportsAboutUnsentPackets) {
  SendWindow window(8, 100, kPause);
  window.push(packet(0));
  EXPECT_FALSE(window.acknowledge(Received{1, 0, 0}, {})) << "not on the wire yet";
  transmitAll(window);
  EXPECT_FALSE(window.acknowledge(Received{2, 0, 0}, {}));
  EXPECT_FALSE(window.acknowledge(Received{0, 1, 0}, {})) << "consumed before it came";
  EXPECT_FALSE(window.acknowledge(Received{0, 0, 2}, {}));
  EXPECT_TRUE(window.unsettled());
}

TEST(ReceiveWindow, PutsPacketsInOrder) {
  ReceiveWindow window(8);
  EXPECT_EQ(window.accept(2, packet(2)), Verdict::Early);
  EXPECT_EQ(window.accept(1, packet(1)), Verdict::Early);
  EXPECT_FALSE(window.ready());
  EXPECT_EQ(window.state(), (Received{0, 0, 1}));
  EXPECT_EQ(window.accept(0, packet(0)), Verdict::Ready);
  EXPECT_EQ(window.state(), (Received{3, 0, 0}));
  for (std::uint32_t tag = 0; tag < 3; ++tag) {
    ASSERT_TRUE(window.ready());
    EXPECT_EQ(window.front().header.tag, tag);
    window.pop();
  }
  EXPECT_EQ(window.state(), (Received{3, 3, 0}));
}

TEST(ReceiveWindow, DropsRepeats) {
  ReceiveWindow window(8);
  EXPECT_EQ(window.accept(0, packet(0)), Verdict::Ready);
  EXPECT_EQ(window.accept(0, packet(0)), Verdict::Repeat);
  EXPECT_EQ(window.accept(2, packet(2)), Verdict::Early);
  EXPECT_EQ(window.accept(2, packet(2)), Verdict::Repeat);
}

TEST(ReceiveWindow, HoldsNoMoreThanTheWindow) {
  ReceiveWindow window(2);
  EXPECT_EQ(window.accept(2, packet(2)), Verdict::Beyond);
  EXPECT_EQ(window.accept(~std::uint64_t{0}, packet(2)), Verdict::Beyond);
  EXPECT_EQ(window.accept(1, packet(1)), Verdict::Early);
}

TEST(ReceiveWindow, ProbeShowsALossAtTheTail) {
  ReceiveWindow window(8);
  (void)window.accept(0, packet(0));
  window.probed(3);
  EXPECT_TRUE(window.gap());
  EXPECT_EQ(window.state(), (Received{1, 0, 3}));
  (void)window.accept(1, packet(1));
  (void)window.accept(2, packet(2));
  EXPECT_FALSE(window.gap());
}

TEST(ReceiveWindow, IgnoresProbesBeyondTheWindow) {
  ReceiveWindow window(4);
  window.probed(~std::uint64_t{0});
  EXPECT_EQ(window.state().held, 4u);
}

} // namespace
} // namespace copse::fabric
