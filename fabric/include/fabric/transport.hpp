#pragma once

#include "fabric/endpoint.hpp"
#include "fabric/frames.hpp"
#include "fabric/payload.hpp"
#include "fabric/reactor.hpp"
#include "fabric/refusals.hpp"
#include "wire/envelope.hpp"
#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <zmq.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace copse::fabric {

class Keyring;

/// A message of a link. The transport decides how its bytes are encoded.
struct LinkMessage {
  wire::Envelope envelope;
  Payload payload; ///< has envelope.payloadBytes bytes, if it is a packet
};

/// Carries the messages of one node: an inbox, and a connection to each neighbour. Links need
/// nothing else of the operating system. A transport may lose, repeat and reorder whole messages
/// (links repair that), but it never blocks.
///
/// Life: bind(), watch(), then connect() and send(); disconnectAll() before other neighbours.
///
/// Thread: the reactor's, except for send(), which one thread at a time may call while no thread
/// connects or disconnects. Handlers are called on the reactor's thread.
class Transport {
public:
  struct Handlers {
    /// \p sender is the authenticated sender of the message; empty if the transport does not
    ///   authenticate.
    std::function<void(LinkMessage &&, const std::string &sender)> onMessage;
    /// Called when a neighbour takes messages again after Sent::Full.
    std::function<void(wire::IpuId neighbour)> onWritable;
    /// Called for a message that is not valid, with the reason.
    std::function<void(const std::string &why)> onBad;
  };
  struct Neighbour {
    wire::IpuId ipu;
    Endpoint endpoint;
    std::string name; ///< its name among the keys, if there are keys
  };
  virtual ~Transport() = default;

  /// Listens.
  /// \returns the real endpoint, to which neighbours connect; InvalidOption if it is taken or not
  ///   valid
  virtual wire::Result<Endpoint> bind(const Endpoint &endpoint) = 0;
  virtual void watch(Handlers handlers) = 0;
  /// Opens a connection to \p neighbour, which need not listen yet (except for inproc); replaces an
  /// older one.
  virtual wire::Status connect(const Neighbour &neighbour) = 0;
  virtual void disconnectAll() = 0;
  /// Sends a header and its payload as one message, or nothing.
  virtual Sent send(wire::IpuId neighbour, const wire::Envelope &envelope,
                    const Payload &payload) = 0;
};

/// Makes the transport of a node that will listen at an endpoint of \p kind, on the reactor's
/// thread.
/// \param highWater  messages that may wait in one direction to one neighbour
/// \returns null: these links lie in shared memory and need no transport
using TransportFactory =
    std::function<std::unique_ptr<Transport>(Reactor &reactor, TransportKind kind, int highWater)>;

/// Makes the transports of IPU-Links: ZeroMQ over inproc, ipc or tcp, none for shm; with keys, TLS
/// over tcp.
/// \param context  the process's context; outlives all that is made
/// \param keys  null: there are no keys
/// \param refusals  counts refused connections
TransportFactory linkTransports(zmq::context_t &context, std::shared_ptr<const Keyring> keys = {},
                                std::shared_ptr<Refusals> refusals = std::make_shared<Refusals>());

} // namespace copse::fabric
