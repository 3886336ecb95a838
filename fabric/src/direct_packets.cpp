#include "direct_packets.hpp"

#include <utility>

namespace copse::fabric {
namespace {

/// Of a counter that one thread at a time changes, and others read.
void add(std::atomic<std::uint64_t> &counter, std::uint64_t amount) {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

} // namespace

void DirectPackets::begin(wire::IpuId self, std::uint32_t ipus, std::uint32_t epoch) {
  self_ = self;
  epoch_ = epoch;
  peers_ = std::vector<Peer>(ipus);
}

Handover DirectPackets::send(wire::IpuId to, std::uint32_t tag, Payload payload) {
  if (!inbox_.sound())
    return Handover::Full;
  const DirectPacket packet{epoch_, self_, to, tag, std::move(payload)};
  Handover handover = ways_.send(packet);
  if (handover == Handover::Full)
    handover = insist(packet);
  if (handover == Handover::Kept) {
    add(of(to).packetsSent, 1);
    add(of(to).bytesSent, packet.payload.size());
  }
  return handover;
}

Handover DirectPackets::insist(const DirectPacket &packet) {
  const Inbox::Waiting waiting(inbox_);
  waitsFor_ = packet.to.value;
  auto handover = Handover::Full;
  while (handover == Handover::Full && inbox_.sound()) {
    const auto seen = ways_.interrupts();
    handover = ways_.send(packet);
    if (handover == Handover::Full)
      ways_.pollOrAwait(seen, Clock::now() + patience_);
  }
  of(packet.to).madeRoom = handover == Handover::Kept;
  waitsFor_ = kNobody;
  return handover;
}

wire::Result<Payload> DirectPackets::receive(wire::IpuId from, std::uint32_t tag,
                                             Clock::time_point deadline) {
  const Inbox::Waiting waiting(inbox_);
  Awaited awaited{from, tag, {}};
  const DirectWays::TakePacket take = [this, &awaited](DirectPacket &packet) {
    return takeAwaited(packet, awaited);
  };
  for (bool waited = false;; waited = true) {
    const auto seen = ways_.interrupts();
    if (auto payload = inbox_.takeNow(from, tag)) {
      ways_.passBy();
      return std::move(*payload);
    }
    if (ways_.poll(take)) {
      if (awaited.payload)
        return std::move(*awaited.payload);
      if (auto payload = inbox_.takeNow(from, tag))
        return std::move(*payload);
    }
    // Most messages come during the first wait, for which nobody has to read the clock.
    if (waited && Clock::now() >= deadline)
      return Inbox::late(from, tag);
    ways_.await(seen, deadline);
  }
}

/// A packet that the control program finds itself need not go through the inbox.
/// \returns false: it has to, as it is another, or others may be before it
bool DirectPackets::takeAwaited(DirectPacket &packet, Awaited &awaited) {
  if (awaited.payload || packet.from != awaited.from || packet.tag != awaited.tag ||
      packet.epoch != epoch_ || !isOurs(packet) || !inbox_.isEmpty())
    return false;
  noteTaken(packet.from, packet.payload.size());
  awaited.payload = std::move(packet.payload);
  return true;
}

DirectPackets::Taken DirectPackets::take(DirectPacket &packet, Inbox::Room room) {
  if (!isOurs(packet))
    return Taken::Never;
  const std::size_t bytes = packet.payload.size();
  if (!inbox_.deliver(packet.from, packet.tag, packet.payload, room)) {
    of(packet.from).heldUp = true;
    return Taken::NoRoom;
  }
  noteTaken(packet.from, bytes);
  ways_.interrupt();
  return Taken::Yes;
}

void DirectPackets::noteTaken(wire::IpuId from, std::size_t bytes) {
  Peer &peer = of(from);
  add(peer.packetsReceived, 1);
  add(peer.bytesReceived, bytes);
  peer.heldUp.store(false, std::memory_order_relaxed);
}

void DirectPackets::addTo(LinkCounters &counters) const {
  if (!leadTo(counters.neighbour))
    return;
  const Peer &peer = of(counters.neighbour);
  counters.packetsSent += peer.packetsSent;
  counters.bytesSent += peer.bytesSent;
  counters.packetsReceived += peer.packetsReceived;
  counters.bytesReceived += peer.bytesReceived;
  counters.queued += ways_.untaken(counters.neighbour);
}

} // namespace copse::fabric
