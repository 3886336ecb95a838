#pragma once

#include "fabric/frames.hpp"
#include "fabric/payload.hpp"
#include "fabric/transport.hpp"
#include "wire/envelope.hpp"
#include "wire/result.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace copse::fabric {

/// The message as it travels through sockets. Its payload is not copied.
Frames framesOf(const wire::Envelope &envelope, const Payload &payload);
/// The same of a header that is encoded already.
Frames framesOf(std::span<const std::byte> header, const Payload &payload);

/// Reads a header frame: wire::decodeEnvelope(), or wire::decodeLocalEnvelope() where memory is shared.
using ReadHeader = wire::Result<wire::Envelope> (*)(std::span<const std::byte>);

/// A message of which all frames have come.
/// \returns BadFrame: it is none
wire::Result<LinkMessage> readMessage(Frames frames, ReadHeader readHeader = wire::decodeEnvelope);

/// A header that was read, with the payload that came with it.
/// \returns BadFrame: they do not belong together, or the payload was damaged on the way
wire::Result<LinkMessage> join(wire::Result<wire::Envelope> header, Payload payload);

/// Tells \p handlers of a message, or of what is none.
void deliver(wire::Result<LinkMessage> &&message, const std::string &sender,
             const Transport::Handlers &handlers);

/// The fate of a message that goes through a queue or a ring.
/// \param taken  what it is if there was room
Handover handoverOf(Sent sent, Handover taken);

} // namespace copse::fabric
