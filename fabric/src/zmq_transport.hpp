#pragma once

#include "fabric/transport.hpp"

#include <zmq.hpp>

#include <memory>

namespace copse::fabric {

/// Messages over ZeroMQ: a PULL socket, and a PUSH socket for each neighbour.
/// \param highWater  messages that may wait in one direction to one neighbour
std::unique_ptr<Transport> makeZmqTransport(Reactor &reactor, zmq::context_t &context,
                                            int highWater);

} // namespace copse::fabric
