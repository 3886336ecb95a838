#pragma once

#include "fabric/endpoint.hpp"
#include "fabric/frames.hpp"
#include "fabric/reactor.hpp"
#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <zmq.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace copse::fabric {

class Keyring;

/// The fate of a message that a transport was given.
enum class Handover : std::uint8_t {
  Queued,      ///< taken, and may still wait behind others
  Arrived,     ///< taken, and with the receiver already
  Full,        ///< refused for now: wait for onWritable (back-pressure)
  Unreachable, ///< refused: there is no way to that neighbour
};

/// The way that the messages of one node travel: an inbox, and a way to each neighbour. All that links need
/// of the world. A transport may lose, repeat and reorder whole messages (links mend that), but it
/// never blocks.
///
/// Life: bind(), watch(), then connect() and send(); disconnectAll() before other neighbours.
///
/// Thread: the reactor's, but for send(), which one thread at a time may call while nobody connects
/// or disconnects.
class Transport {
public:
  struct Handlers {
    /// \p sender is the node that sent the message, as the transport has proved it; empty: the
    /// transport proves nothing.
    std::function<void(Frames, const std::string &sender)> onMessage;
    /// A neighbour takes messages again after Handover::Full.
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
  /// Sends all frames as one message, or none: then \p frames is as it was.
  /// \param mayOvertake  no earlier message that was Handover::Queued is still on its way, or it
  /// may be overtaken; a message that has Arrived has been overtaken by none
  virtual Handover send(wire::IpuId neighbour, Frames &frames, bool mayOvertake) = 0;
};

/// Makes the transport of a node.
/// \param highWater  messages that may wait in one direction to one neighbour
using TransportFactory = std::function<std::unique_ptr<Transport>(Reactor &reactor, int highWater)>;

/// The transports of IPU-Links: ZeroMQ over inproc, ipc or tcp; with keys, TLS over tcp.
/// \param context  of the process; outlives all that is made
/// \param keys     null: there are none
TransportFactory linkTransports(zmq::context_t &context, std::shared_ptr<const Keyring> keys = {});

} // namespace copse::fabric
