#pragma once

#include "fabric/frames.hpp"
#include "fabric/payload.hpp"
#include "fabric/transport.hpp"
#include "wire/envelope.hpp"
#include "wire/result.hpp"

#include <string>

namespace copse::fabric {

/// Returns the frames of a message as sockets send them. The payload is not copied.
Frames framesOf(const wire::Envelope &envelope, const Payload &payload);

/// Reads the frames of one message.
/// \returns BadFrame if they are not a message
wire::Result<LinkMessage> readMessage(Frames frames);

/// Passes a message to \p handlers, or reports frames that are not a message.
void deliver(wire::Result<LinkMessage> &&message, const std::string &sender,
             const Transport::Handlers &handlers);

} // namespace copse::fabric
