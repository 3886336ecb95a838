#pragma once

#include "fabric/payload.hpp"
#include "wire/envelope.hpp"

namespace copse::fabric {

/// A packet inside a node, between an inbound link (or the control program) and an outbound link
/// (or the inbox). `header.channel` is the channel of the link on which it arrived, then of the
/// link on which it leaves.
struct Packet {
  wire::Packet header;
  Payload payload;
  std::uint64_t hash = 0; ///< payloadHash() if the sender computed it; forwarded unchanged
};

} // namespace copse::fabric
