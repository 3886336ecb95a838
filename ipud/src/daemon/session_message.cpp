#include "ipud/session_message.hpp"

#include <utility>

namespace copse::ipud {

using wire::Code;
using wire::Status;

void pack(SessionMessage message, fabric::Frames &frames) {
  message.header.frames.clear();
  for (const fabric::Payload &payload : message.payloads)
    message.header.frames.push_back(payload.size());
  const auto header = wire::session::encode(message.header);
  frames.emplace_back(header.data(), header.size());
  for (fabric::Payload &payload : message.payloads)
    frames.push_back(std::move(payload).toFrame());
}

wire::Result<SessionMessage> unpack(fabric::Frames frames, std::size_t first) {
  if (frames.size() <= first)
    return Status{Code::BadFrame, "a message without a header"};
  auto header = wire::session::decode(fabric::bytesOf(frames[first]));
  if (!header)
    return header.status();
  SessionMessage message{std::move(*header), {}};
  const auto &sizes = message.header.frames;
  if (frames.size() != first + 1 + sizes.size())
    return Status{Code::BadFrame, "a message with another number of raw frames than it announces"};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    zmq::message_t &frame = frames[first + 1 + i];
    if (frame.size() != sizes[i])
      return Status{Code::BadFrame, "a raw frame of another size than was announced"};
    message.payloads.emplace_back(std::move(frame));
  }
  return message;
}

} // namespace copse::ipud
