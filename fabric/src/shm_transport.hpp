#pragma once

#include "fabric/transport.hpp"

#include <memory>

namespace copse::fabric {

/// Messages through rings in shared memory, one for each direction of a link, between processes of
/// this machine. A thread that waits for a message takes it out of the ring itself; if none waits,
/// the reactor's thread does.
std::unique_ptr<Transport> makeShmTransport(Reactor &reactor);

} // namespace copse::fabric
