#include "wire/local_header.hpp"

#include <cstring>
#include <string>
#include <variant>

namespace copse::wire {
namespace {

// The first word of a Cap'n Proto header is the number of its segments less one, which is 0.
constexpr std::uint32_t kMark = 0x6B6E694C;

Result<Envelope> read(const LocalHeader &header) {
  Envelope envelope;
  envelope.version = header.version;
  envelope.from = {header.from};
  envelope.to = {header.to};
  if (header.version != kProtocolVersion) {
    envelope.body = Foreign{};
    return envelope;
  }
  if (header.channel >= kChannels)
    return Status{Code::BadFrame, "bad header: virtual channel " + std::to_string(header.channel)};
  envelope.epoch = header.epoch;
  envelope.sequence = header.sequence;
  envelope.payloadBytes = header.payloadBytes;
  envelope.payloadCheck = header.payloadCheck;
  envelope.channels = header.channels;
  if (header.isPacket != 0)
    envelope.body = Packet{{header.source}, {header.destination}, header.tag, header.channel};
  return envelope;
}

} // namespace

std::optional<LocalHeader> localHeaderOf(const Envelope &envelope) {
  LocalHeader header;
  if (const auto *const packet = std::get_if<Packet>(&envelope.body)) {
    header.isPacket = 1;
    header.channel = packet->channel;
    header.source = packet->source.value;
    header.destination = packet->destination.value;
    header.tag = packet->tag;
  } else if (!std::holds_alternative<Ack>(envelope.body)) {
    return {};
  }
  header.mark = kMark;
  header.version = envelope.version;
  header.epoch = envelope.epoch;
  header.from = envelope.from.value;
  header.to = envelope.to.value;
  header.sequence = envelope.sequence;
  header.payloadBytes = envelope.payloadBytes;
  header.payloadCheck = envelope.payloadCheck;
  header.channels = envelope.channels;
  return header;
}

Result<Envelope> decodeLocalEnvelope(std::span<const std::byte> frame) {
  LocalHeader header;
  if (frame.size() != sizeof header)
    return decodeEnvelope(frame);
  std::memcpy(&header, frame.data(), sizeof header);
  return header.mark == kMark ? read(header) : decodeEnvelope(frame);
}

} // namespace copse::wire
