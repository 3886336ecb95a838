#pragma once

#include "fabric/transport.hpp"

#include <zmq.hpp>

#include <memory>

namespace copse::fabric {

/// Makes a transport over ZeroMQ: an inbox, and a PUSH socket for each neighbour.
/// \param highWater  messages that may wait in one direction to one neighbour
/// \param refusals  counts connections that are not a neighbour's
std::unique_ptr<Transport> makeZmqTransport(Reactor &reactor, zmq::context_t &context,
                                            int highWater, std::shared_ptr<Refusals> refusals);

} // namespace copse::fabric
