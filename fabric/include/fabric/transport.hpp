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

/// A message of a link. Its bytes on the way are the transport's affair.
struct LinkMessage {
  wire::Envelope envelope;
  Payload payload; ///< of envelope.payloadBytes bytes, if it is a packet
};

/// The way that the messages of one node travel: an inbox, and a way to each neighbour. All that links need
/// of the world. A transport may lose, repeat and reorder whole messages (links mend that), but it
/// never blocks.
///
/// Life: bind(), watch(), then connect() and send(); disconnectAll() before other neighbours.
///
/// Thread: the reactor's, but for send(), which one thread at a time may call while
/// nobody connects or disconnects. Handlers are called on the reactor's thread.
class Transport {
public:
  struct Handlers {
    /// \p sender is the node that sent the message, as the transport has proved it; empty: the
    /// transport proves nothing.
    std::function<void(LinkMessage &&, const std::string &sender)> onMessage;
    /// A neighbour takes messages again after Sent::Full.
    std::function<void(wire::IpuId neighbour)> onWritable;
    /// Something came that was no message of anybody, and why.
    std::function<void(const std::string &why)> onBad;
  };
  struct Neighbour {
    wire::IpuId ipu;
    Endpoint endpoint;
    std::string name; ///< among the keys, if there are keys
  };
  virtual ~Transport() = default;

  /// Listens.
  /// \returns the real endpoint, which neighbours connect to; InvalidOption if it is taken or makes
  ///   no sense
  virtual wire::Result<Endpoint> bind(const Endpoint &endpoint) = 0;
  virtual void watch(Handlers handlers) = 0;
  /// Opens the way to \p neighbour, which need not be there yet (but for inproc); replaces an older
  /// one.
  virtual wire::Status connect(const Neighbour &neighbour) = 0;
  virtual void disconnectAll() = 0;
  /// Sends a header and its payload as one message, or nothing.
  virtual Sent send(wire::IpuId neighbour, const wire::Envelope &envelope,
                    const Payload &payload) = 0;
};

/// Makes the transport of a node that will listen at an endpoint of \p kind, on the reactor's
/// thread.
/// \param highWater  messages that may wait in one direction to one neighbour
/// \returns null: the links of that kind need none, as they lie in shared memory
using TransportFactory =
    std::function<std::unique_ptr<Transport>(Reactor &reactor, TransportKind kind, int highWater)>;

/// The transports of IPU-Links: ZeroMQ over inproc, ipc or tcp, none for shm; with keys, TLS over
/// tcp.
/// \param context   of the process; outlives all that is made
/// \param keys      null: there are none
/// \param refusals  counts the connections of strangers
TransportFactory linkTransports(zmq::context_t &context, std::shared_ptr<const Keyring> keys = {},
                                std::shared_ptr<Refusals> refusals = std::make_shared<Refusals>());

} // namespace copse::fabric
