#pragma once

#include "fabric/frames.hpp"
#include "fabric/payload.hpp"
#include "wire/result.hpp"
#include "wire/session.hpp"

#include <vector>

namespace copse::ipud {

/// A message between a host and an ipud: its header and the raw frames behind it.
struct SessionMessage {
  wire::session::Header header;
  std::vector<fabric::Payload> payloads;
};

/// Appends the message's frames to \p frames (an identity for a ROUTER, or nothing). Fills in
/// Header::frames.
void pack(SessionMessage message, fabric::Frames &frames);

/// The message that frames [first, ...) make. Any frames are safe.
/// \returns BadFrame
wire::Result<SessionMessage> unpack(fabric::Frames frames, std::size_t first);

} // namespace copse::ipud
