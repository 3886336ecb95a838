#pragma once

#include "fabric/transport.hpp"

#include <zmq.hpp>

#include <memory>

namespace copse::fabric {

/// Messages over ZeroMQ: an inbox, and a PUSH socket for each neighbour.
/// \param highWater  messages that may wait in one direction to one neighbour
/// \param refusals   counts connections that are of no neighbour
std::unique_ptr<Transport> makeZmqTransport(Reactor &reactor, zmq::context_t &context,
                                            int highWater, std::shared_ptr<Refusals> refusals);

} // namespace copse::fabric
