#pragma once

#include "fabric/frames.hpp"
#include "fabric/payload.hpp"
#include "fabric/transport.hpp"
#include "wire/envelope.hpp"
#include "wire/result.hpp"

#include <string>

namespace copse::fabric {

/// The message as it travels through sockets. Its payload is not copied.
Frames framesOf(const wire::Envelope &envelope, const Payload &payload);

/// A message of which all frames have come.
/// \returns BadFrame: it is none
wire::Result<LinkMessage> readMessage(Frames frames);

/// Tells \p handlers of a message, or of what is none.
void deliver(wire::Result<LinkMessage> &&message, const std::string &sender,
             const Transport::Handlers &handlers);

} // namespace copse::fabric
