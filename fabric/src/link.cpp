#include "link.hpp"

#include "link_down.hpp"

#include "wire/ipu_names.hpp"

#include <algorithm>
#include <string>

namespace copse::fabric {
namespace {

// An acknowledgement is sent by itself if 1 / kAckShare of the window waits for it.
constexpr std::uint32_t kAckShare = 4;
// A gap is reported again after this many repairDelays.
constexpr int kGapReportDelays = 4;
// The interval of probes and gap reports that change nothing doubles so many times, so that they do
// not fill a connection that is only slow.
constexpr unsigned kProbeDoublings = 3;
constexpr unsigned kGapReportDoublings = 5;

} // namespace

Link::Link(Transport &transport, const LinkOptions &options, wire::IpuId self,
           wire::IpuId neighbour, std::uint32_t epoch)
    : transport_(transport), options_(options), self_(self), epoch_(epoch),
      out_{SendWindow(options.windowPackets, options.windowBytes, options.repairDelay),
           SendWindow(options.windowPackets, options.windowBytes, options.repairDelay)},
      in_{ReceiveWindow(options.windowPackets), ReceiveWindow(options.windowPackets)} {
  counters_.neighbour = neighbour;
}

wire::Status Link::handle(const wire::Envelope &envelope, Payload payload, Clock::time_point now) {
  const std::uint64_t before = settled();
  for (std::size_t channel = 0; channel < wire::kChannels; ++channel)
    if (!out_[channel].acknowledge(envelope.channels[channel], now))
      ++counters_.refused;
  heardAt_ = now;
  if (settled() != before) {
    progressAt_ = now;
    probes_ = 0;
    askedForRoom_ = false;
  }
  waiting_ = unsettled();

  if (const auto *packet = std::get_if<wire::Packet>(&envelope.body)) {
    handlePacket(envelope, *packet, std::move(payload), now);
  } else if (const auto *probe = std::get_if<wire::Probe>(&envelope.body)) {
    for (std::size_t channel = 0; channel < wire::kChannels; ++channel)
      in_[channel].probed(probe->next[channel]);
    ackNow_ = true;
  } else if (const auto *fault = std::get_if<wire::Fault>(&envelope.body)) {
    return {fault->code,
            nameOf(neighbour()) + " refuses to work with " + nameOf(self_) + ": " + fault->text};
  }
  return wire::Status::success();
}

void Link::handlePacket(const wire::Envelope &envelope, const wire::Packet &packet, Payload payload,
                        Clock::time_point now) {
  ReceiveWindow &in = in_[packet.channel];
  const bool hadGap = in.gap();
  const std::uint64_t expected = in.expected();
  const std::size_t bytes = payload.size();
  switch (in.accept(envelope.sequence, Packet{packet, std::move(payload), envelope.payloadCheck})) {
  case ReceiveWindow::Verdict::Ready:
  case ReceiveWindow::Verdict::Early:
    ++counters_.packetsReceived;
    counters_.bytesReceived += bytes;
    owe(0, now);
    if (in.expected() != expected)
      gapReports_ = 0;
    // A new gap is reported at once; tick() reports it again.
    if (in.gap() && !hadGap) {
      gapReportedAt_ = now;
      ackNow_ = true;
    }
    break;
  case ReceiveWindow::Verdict::Repeat: // the acknowledgement may have been lost
    ++counters_.repeats;
    owe(0, now);
    break;
  case ReceiveWindow::Verdict::Beyond:
    ++counters_.refused;
    break;
  }
}

void Link::owe(std::size_t payloadBytes, Clock::time_point now) {
  if (owedPackets_ == 0 && owedBytes_ == 0)
    owedSince_ = now;
  ++owedPackets_;
  owedBytes_ += payloadBytes;
}

void Link::consumed(std::size_t channel, std::size_t payloadBytes, Clock::time_point now) {
  in_[channel].pop();
  owe(payloadBytes, now);
}

void Link::transmit(Clock::time_point now) {
  if (!waiting_ && unsettled()) {
    waiting_ = true;
    progressAt_ = now;
  }
  for (std::size_t channel = 0; channel < wire::kChannels; ++channel)
    while (out_[channel].somethingToTransmit() && sendPacket(channel, now)) {
    }
  // A packet counts twice: for its arrival and for its credit.
  if (ackNow_ || owedPackets_ / 2 >= std::max(1u, options_.windowPackets / kAckShare) ||
      owedBytes_ >= options_.windowBytes / kAckShare)
    sendBare(wire::Ack{});
}

void Link::askForRoom(std::size_t payloadBytes) {
  const std::uint64_t madeUnasked = options_.windowBytes - options_.windowBytes / kAckShare;
  if (!askedForRoom_ && payloadBytes > madeUnasked)
    askedForRoom_ = sendProbe();
}

wire::Envelope Link::envelope() const {
  wire::Envelope envelope;
  envelope.epoch = epoch_;
  envelope.from = self_;
  envelope.to = counters_.neighbour;
  for (std::size_t channel = 0; channel < wire::kChannels; ++channel)
    envelope.channels[channel] = in_[channel].state();
  return envelope;
}

bool Link::sendPacket(std::size_t channel, Clock::time_point now) {
  const SendWindow::Outgoing outgoing = out_[channel].outgoing();
  const auto &[sequence, packet, again] = outgoing;
  wire::Envelope header = envelope();
  header.sequence = sequence;
  header.payloadBytes = packet.payload.size();
  header.payloadCheck = packet.hash;
  header.body = packet.header;
  const std::size_t bytes = packet.payload.size();
  // A full transport reports when it is writable again. An unreachable neighbour is detected by its
  // silence.
  if (transport_.send(neighbour(), header, packet.payload) != Sent::Ok)
    return false;
  out_[channel].transmitted(outgoing, now);
  if (again) {
    ++counters_.resent;
  } else {
    ++counters_.packetsSent;
    counters_.bytesSent += bytes;
  }
  nothingOwed();
  return true;
}

void Link::nothingOwed() {
  owedPackets_ = 0;
  owedBytes_ = 0;
}

bool Link::sendBare(decltype(wire::Envelope::body) body) {
  wire::Envelope header = envelope();
  header.body = std::move(body);
  if (transport_.send(neighbour(), header, {}) != Sent::Ok)
    return false;
  ackNow_ = false;
  nothingOwed();
  return true;
}

bool Link::sendProbe() {
  return sendBare(wire::Probe{{out_[0].transmittedEnd(), out_[1].transmittedEnd()}});
}

void Link::refuse(const wire::Status &why) { sendBare(wire::Fault{why.code, why.message}); }

wire::Status Link::watch(bool on, Clock::time_point now) {
  if (!on)
    watchedSince_.reset();
  else if (!watchedSince_)
    watchedSince_ = now;
  if (!on || waiting_) // while packets are in transit, tick() probes
    return wire::Status::success();
  const auto heard = std::max(heardAt_, *watchedSince_);
  if (now >= heard + options_.deadline)
    return down("said nothing");
  sendProbe();
  return wire::Status::success();
}

wire::Status Link::down(const std::string &what) const {
  return linkIsSilent(self_, neighbour(), what, options_.deadline);
}

wire::Status Link::tick(Clock::time_point now) {
  if (waiting_ && now >= downAt())
    return down("acknowledged nothing");
  if (waiting_ && now >= probeAt()) {
    probedAt_ = now;
    ++probes_;
    sendProbe();
  }
  if (owedPackets_ > 0 && now >= owedSince_ + options_.ackDelay)
    ackNow_ = true;
  if (gap() && now >= gapReportAt()) {
    gapReportedAt_ = now;
    ++gapReports_;
    ackNow_ = true;
  }
  transmit(now);
  return wire::Status::success();
}

std::optional<Link::Clock::time_point> Link::due() const {
  std::optional<Clock::time_point> earliest;
  const auto consider = [&earliest](Clock::time_point at) {
    earliest = earliest ? std::min(*earliest, at) : at;
  };
  if (waiting_)
    consider(std::min(downAt(), probeAt()));
  if (owedPackets_ > 0)
    consider(owedSince_ + options_.ackDelay);
  if (gap())
    consider(gapReportAt());
  return earliest;
}

Link::Clock::time_point Link::downAt() const {
  const std::uint64_t bytes = out_[0].bytesUnacknowledged() + out_[1].bytesUnacknowledged();
  // A neighbour that has received everything and only does not consume it is alive as long as it
  // answers.
  const auto since = !unacknowledged() ? std::max(progressAt_, heardAt_) : progressAt_;
  return since + options_.deadline +
         std::chrono::milliseconds(bytes * 1000 / options_.slowestBytesPerSecond);
}

Link::Clock::time_point Link::probeAt() const {
  return std::max(progressAt_, probedAt_) +
         options_.probeInterval * (1u << std::min(probes_, kProbeDoublings));
}

Link::Clock::time_point Link::gapReportAt() const {
  return gapReportedAt_ + kGapReportDelays * options_.repairDelay *
                              (1u << std::min(gapReports_, kGapReportDoublings));
}

} // namespace copse::fabric
