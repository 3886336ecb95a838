#include "link.hpp"

#include "fabric/transport.hpp"
#include "wire/envelope.hpp"

#include <gmock/gmock.h>

#include <deque>
#include <memory>

namespace copse::fabric {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using wire::Code;

constexpr std::uint32_t kEpoch = 3;

/// A transport that keeps messages until the other end takes them.
class KeepingTransport : public Transport {
public:
  wire::Result<Endpoint> bind(const Endpoint &endpoint) override { return endpoint; }
  void watch(Handlers) override {}
  wire::Status connect(const Neighbour &) override { return wire::Status::success(); }
  void disconnectAll() override {}
  Sent send(wire::IpuId, const wire::Envelope &envelope, const Payload &payload) override {
    sent.push_back({envelope, payload.share()});
    return Sent::Ok;
  }

  std::deque<LinkMessage> sent;
};

/// The two ends of a link between ipu 0 and ipu 1 on a clock of the test's own.
class TwoEnds : public ::testing::Test {
protected:
  struct End {
    End(const LinkOptions &options, std::uint32_t self)
        : link(wire, options, {self}, {1 - self}, kEpoch) {}
    KeepingTransport wire;
    Link link;
  };

  static LinkOptions smallWindow() {
    LinkOptions options;
    options.windowPackets = 4;
    options.deadline = 1s;
    options.probeInterval = 20ms;
    return options;
  }

  void fillWindow() {
    while (near.link.out(0).hasRoom(10))
      near.link.out(0).push({{{0}, {1}, 0, 0}, Payload(10), 0});
    near.link.transmit(now);
  }

  void deliver(End &from, End &to) {
    for (; !from.wire.sent.empty(); from.wire.sent.pop_front()) {
      LinkMessage &message = from.wire.sent.front();
      const auto status = to.link.handle(message.envelope, std::move(message.payload), now);
      ASSERT_TRUE(status.ok()) << status.message;
      to.link.transmit(now);
    }
  }

  /// Advances the clock to the next moment at which the near end has something to do, and does it.
  wire::Status tickNear() {
    now = near.link.due().value_or(now + options.probeInterval);
    return near.link.tick(now);
  }

  const LinkOptions options = smallWindow();
  Link::Clock::time_point now{1h};
  const Link::Clock::time_point start = now;
  End near{options, 0}, far{options, 1};
};

TEST_F(TwoEnds, NeighbourThatAnswersAndConsumesNothingIsNotDown) {
  fillWindow();
  while (now < start + 10 * options.deadline) {
    deliver(near, far);
    deliver(far, near);
    const auto status = tickNear();
    ASSERT_TRUE(status.ok()) << status.message;
  }
  EXPECT_EQ(near.link.counters().packetsSent, options.windowPackets);
  EXPECT_FALSE(near.link.out(0).hasRoom(1));
  EXPECT_EQ(near.link.counters().resent, 0u);
}

TEST_F(TwoEnds, NeighbourThatAnswersNothingIsDownAtTheDeadline) {
  fillWindow();
  wire::Status status;
  while (status.ok() && now < start + 10 * options.deadline)
    status = tickNear();
  EXPECT_EQ(status.code, Code::Disconnected);
  EXPECT_THAT(status.message, HasSubstr("acknowledged nothing for 1000 ms"));
  EXPECT_GE(now, start + options.deadline);
  EXPECT_LT(now, start + 2 * options.deadline);
}

TEST_F(TwoEnds, ConsumedPacketsMakeRoomForNewOnes) {
  fillWindow();
  deliver(near, far);
  far.link.consumed(0, 10, now);
  far.link.consumed(0, 10, now);
  far.link.transmit(now);
  deliver(far, near);
  fillWindow();
  EXPECT_EQ(near.link.counters().packetsSent, options.windowPackets + 2);
}

// The neighbour owes acknowledgements of less than a quarter of the window, and sends them later:
// only a packet that needs more than the rest would wait for its clock.
TEST_F(TwoEnds, PacketThatNeedsMostOfTheWindowAsksForRoomOnce) {
  const LinkOptions usual;
  End sender{usual, 0}, receiver{usual, 1};
  const std::size_t most = usual.windowBytes - usual.windowBytes / 4;
  sender.link.out(0).push({{{0}, {1}, 0, 0}, Payload(10), 0});
  sender.link.transmit(now);
  deliver(sender, receiver);
  receiver.link.consumed(0, 10, now);
  receiver.link.transmit(now);
  ASSERT_TRUE(receiver.wire.sent.empty()) << "it owes too little";

  sender.link.askForRoom(most);
  EXPECT_TRUE(sender.wire.sent.empty());
  ASSERT_FALSE(sender.link.out(0).hasRoom(usual.windowBytes));
  sender.link.askForRoom(usual.windowBytes);
  sender.link.askForRoom(usual.windowBytes);
  EXPECT_EQ(sender.wire.sent.size(), 1u);
  deliver(sender, receiver);
  deliver(receiver, sender);
  EXPECT_TRUE(sender.link.out(0).hasRoom(usual.windowBytes));
}

TEST_F(TwoEnds, WatchedNeighbourThatAnswersIsNotDown) {
  for (; now < start + 10 * options.deadline; now += options.probeInterval) {
    const auto status = near.link.watch(true, now);
    ASSERT_TRUE(status.ok()) << status.message;
    deliver(near, far);
    deliver(far, near);
  }
}

TEST_F(TwoEnds, SilentNeighbourIsDownOnceItHasBeenWatchedForTheDeadline) {
  for (; now < start + 10 * options.deadline; now += options.probeInterval)
    ASSERT_TRUE(near.link.watch(false, now).ok()) << "nothing is asked, so silence means nothing";
  const auto watched = now;
  for (; now < watched + options.deadline; now += options.probeInterval)
    ASSERT_TRUE(near.link.watch(true, now).ok());
  EXPECT_THAT(near.link.watch(true, now).message, HasSubstr("said nothing for 1000 ms"));
}

} // namespace
} // namespace copse::fabric
