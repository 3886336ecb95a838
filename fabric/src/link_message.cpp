#include "link_message.hpp"

#include "wire/ipu_names.hpp"

#include <string>
#include <utility>
#include <variant>

namespace copse::fabric {

namespace {

/// Combines a header with the payload that came with it.
/// \returns BadFrame if they do not belong together, or if the payload was damaged
wire::Result<LinkMessage> join(wire::Result<wire::Envelope> header, Payload payload) {
  if (!header)
    return header.status();
  const auto bad = [&](const std::string &why) {
    return wire::Status{wire::Code::BadFrame,
                        "a message from " + nameOf(header->from) + " has a payload " + why};
  };
  if (std::holds_alternative<wire::Foreign>(header->body))
    return LinkMessage{std::move(*header), Payload()};
  const std::uint64_t expected =
      std::holds_alternative<wire::Packet>(header->body) ? header->payloadBytes : 0;
  if (payload.size() != expected)
    return bad("of " + std::to_string(payload.size()) + " bytes, not " + std::to_string(expected));
  if (header->payloadCheck != 0 && expected > 0 &&
      header->payloadCheck != wire::payloadHash(payload.bytes()))
    return bad("that was damaged on the way");
  return LinkMessage{std::move(*header), std::move(payload)};
}

} // namespace

Frames framesOf(const wire::Envelope &envelope, const Payload &payload) {
  const auto header = encode(envelope);
  Frames frames;
  frames.reserve(2);
  frames.emplace_back(header.data(), header.size());
  if (payload.size() > 0)
    frames.push_back(payload.share().toFrame());
  return frames;
}

wire::Result<LinkMessage> readMessage(Frames frames) {
  auto header = wire::decodeEnvelope(bytesOf(frames.front()));
  if (header && frames.size() > 2)
    return wire::Status{wire::Code::BadFrame, "a message from " + nameOf(header->from) + " has " +
                                                  std::to_string(frames.size()) + " frames"};
  return join(std::move(header), frames.size() > 1 ? Payload(std::move(frames[1])) : Payload());
}

void deliver(wire::Result<LinkMessage> &&message, const std::string &sender,
             const Transport::Handlers &handlers) {
  if (message)
    handlers.onMessage(std::move(*message), sender);
  else
    handlers.onBad(message.status().message);
}

} // namespace copse::fabric
