#pragma once

#include "fabric/payload.hpp"
#include "wire/envelope.hpp"

namespace copse::fabric {

/// A packet inside a node, between an inbound link (or the own control program) and an outbound one
/// (or the own inbox). `header.channel` is that of the link it came on, then of the link it leaves
/// on.
struct Packet {
  wire::Packet header;
  Payload payload;
  std::uint64_t hash = 0; ///< payloadHash() if the sender computed it; goes along unchanged
};

} // namespace copse::fabric
