#include "frame_reader.hpp"
#include "schema/envelope.capnp.h"
#include "status_codec.hpp"

#include "wire/envelope.hpp"
#include "wire/overloaded.hpp"

#include <string>

namespace copse::wire {
namespace {

// The traversal limit for one header: every pointer of the schema once, and the longest text.
constexpr std::uint64_t kTraversalWords = 2 * kMaxHeaderBytes / sizeof(capnp::word);
// The last word of a header frame is the hash of all words before it.
constexpr std::size_t kCheckBytes = sizeof(std::uint64_t);

Status bad(const std::string &why) { return {Code::BadFrame, "bad header: " + why}; }

template <class Builder, class Message> void writeSync(Builder to, const Message &message) {
  to.setGroup(static_cast<std::uint8_t>(message.group));
  to.setTime(message.time.value);
  to.setStop(!message.failure.ok());
  if (!message.failure.ok())
    write(to.initStatus(), message.failure);
}

void writeBody(schema::Envelope::Builder to, const Envelope &envelope) {
  std::visit(Overloaded{
                 [&](const Ack &) { to.setAck(); },
                 [&](const Packet &packet) {
                   auto body = to.initPacket();
                   body.setSource(packet.source.value);
                   body.setDestination(packet.destination.value);
                   body.setTag(packet.tag);
                   body.setChannel(packet.channel);
                 },
                 [&](const Probe &probe) {
                   auto next = to.initProbe(kChannels);
                   for (unsigned i = 0; i < kChannels; ++i)
                     next.set(i, probe.next[i]);
                 },
                 [&](const Fault &fault) {
                   write(to.initFault(), Status{fault.code, fault.text});
                 },
                 [&](const Foreign &) { to.setAck(); },
                 [&](const SyncArrive &arrive) {
                   auto body = to.initArrive();
                   writeSync(body, arrive);
                   body.setStep(arrive.step);
                 },
                 [&](const SyncLeave &leave) { writeSync(to.initLeave(), leave); },
             },
             envelope.body);
}

template <class Message, class Reader> Result<Message> readSync(Reader from) {
  const auto group = from.getGroup();
  if (!isSyncGroup(group))
    return bad("sync group " + std::to_string(group));
  Message message{static_cast<SyncGroup>(group), Cycles{from.getTime()}, Status::success()};
  if (from.getStop()) {
    message.failure = read(from.getStatus());
    if (message.failure.ok())
      return bad("a stop without a reason");
  }
  return message;
}

Result<SyncArrive> readArrive(schema::SyncArrive::Reader from) {
  auto arrive = readSync<SyncArrive>(from);
  if (arrive)
    arrive->step = from.getStep();
  return arrive;
}

Result<Packet> readPacket(schema::Packet::Reader from) {
  if (from.getChannel() >= kChannels)
    return bad("virtual channel " + std::to_string(from.getChannel()));
  return Packet{{from.getSource()}, {from.getDestination()}, from.getTag(), from.getChannel()};
}

// Puts a decoded body into the envelope.
template <class Body> Status place(Result<Body> body, Envelope &envelope) {
  if (!body)
    return body.status();
  envelope.body = std::move(*body);
  return Status::success();
}

Status readBody(schema::Envelope::Reader from, Envelope &envelope) {
  using Which = schema::Envelope::Which;
  switch (from.which()) {
  case Which::PACKET:
    return place(readPacket(from.getPacket()), envelope);
  case Which::ACK:
    envelope.body = Ack{};
    return Status::success();
  case Which::PROBE: {
    const auto next = from.getProbe();
    if (next.size() != kChannels)
      return bad("a probe of " + std::to_string(next.size()) + " channels");
    envelope.body = Probe{{next[0], next[1]}};
    return Status::success();
  }
  case Which::FAULT: {
    auto status = read(from.getFault());
    envelope.body = Fault{status.code, std::move(status.message)};
    return Status::success();
  }
  case Which::ARRIVE:
    return place(readArrive(from.getArrive()), envelope);
  case Which::LEAVE:
    return place(readSync<SyncLeave>(from.getLeave()), envelope);
  }
  return bad("unknown message " + std::to_string(static_cast<unsigned>(from.which())));
}

Status readChannels(schema::Envelope::Reader from, Envelope &envelope) {
  const auto channels = from.getChannels();
  if (channels.size() != kChannels)
    return bad(std::to_string(channels.size()) + " virtual channels");
  for (unsigned i = 0; i < kChannels; ++i)
    envelope.channels[i] = {channels[i].getExpected(), channels[i].getConsumed(),
                            channels[i].getHeld()};
  return Status::success();
}

Status readEnvelope(capnp::MessageReader &message, Envelope &envelope) {
  const auto from = message.getRoot<schema::Envelope>();
  envelope.version = from.getVersion();
  envelope.from = {from.getFrom()};
  envelope.to = {from.getTo()};
  if (envelope.version != kProtocolVersion) {
    envelope.body = Foreign{};
    return Status::success();
  }
  envelope.epoch = from.getEpoch();
  envelope.sequence = from.getSequence();
  envelope.payloadBytes = from.getPayloadBytes();
  envelope.payloadCheck = from.getPayloadCheck();
  if (Status status = readChannels(from, envelope); !status.ok())
    return status;
  return readBody(from, envelope);
}

} // namespace

std::vector<std::byte> encode(const Envelope &envelope) {
  capnp::word scratch[128] = {};
  capnp::MallocMessageBuilder message(kj::arrayPtr(scratch, std::size(scratch)));
  auto root = message.initRoot<schema::Envelope>();
  root.setVersion(envelope.version);
  root.setEpoch(envelope.epoch);
  root.setFrom(envelope.from.value);
  root.setTo(envelope.to.value);
  root.setSequence(envelope.sequence);
  root.setPayloadBytes(envelope.payloadBytes);
  root.setPayloadCheck(envelope.payloadCheck);
  auto channels = root.initChannels(kChannels);
  for (unsigned i = 0; i < kChannels; ++i) {
    channels[i].setExpected(envelope.channels[i].expected);
    channels[i].setConsumed(envelope.channels[i].consumed);
    channels[i].setHeld(envelope.channels[i].held);
  }
  writeBody(root, envelope);
  auto frame = flatten(message);
  const std::uint64_t check = payloadHash(frame);
  frame.resize(frame.size() + kCheckBytes);
  std::memcpy(frame.data() + frame.size() - kCheckBytes, &check, kCheckBytes);
  return frame;
}

Result<Envelope> decodeEnvelope(std::span<const std::byte> frame) {
  if (frame.size() <= kCheckBytes || frame.size() > kMaxHeaderBytes)
    return bad(std::to_string(frame.size()) + " bytes");
  const auto content = frame.first(frame.size() - kCheckBytes);
  std::uint64_t check;
  std::memcpy(&check, content.data() + content.size(), kCheckBytes);
  if (check != payloadHash(content))
    return bad("it was damaged on the way");
  Result<Envelope> envelope = Envelope{};
  Status status =
      readFrame("header", content, kTraversalWords, [&envelope](capnp::MessageReader &message) {
        return readEnvelope(message, *envelope);
      });
  if (!status.ok())
    envelope = std::move(status);
  return envelope;
}

} // namespace copse::wire
