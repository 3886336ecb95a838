#pragma once

#include "fabric/endpoint.hpp"
#include "fabric/payload.hpp"
#include "fabric/reactor.hpp"
#include "fabric/refusals.hpp"
#include "wire/envelope.hpp"
#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <zmq.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace copse::fabric {

class Keyring;

/// The fate of a message that a transport was given.
enum class Handover : std::uint8_t {
  Queued,      ///< taken, and may still wait behind others
  Kept,        ///< taken, and it cannot be lost: if it is, onLost tells
  Full,        ///< refused for now: wait for onWritable (back-pressure)
  Unreachable, ///< refused: there is no way to that neighbour
};

/// A message of a link. Its bytes on the way are the transport's affair.
struct LinkMessage {
  wire::Envelope envelope;
  Payload payload; ///< of envelope.payloadBytes bytes, if it is a packet
};

/// A packet from one end of a way to the other. Where the way loses, repeats and reorders nothing, and is full when its other end takes
/// nothing, a packet needs no number and no acknowledgement.
struct DirectPacket {
  std::uint32_t epoch = 0;
  wire::IpuId from, to;
  std::uint32_t tag = 0;
  Payload payload;
};

/// Of a transport whose messages lie in memory, which loses none: packets between the two ends of a way go without what links add, and a
/// thread that waits for one takes what comes itself. That costs less than a thread in between.
///
/// Thread: any; send() and await() one at a time.
class DirectWays {
public:
  using Clock = std::chrono::steady_clock;
  using TakePacket = std::function<bool(DirectPacket &)>;
  virtual ~DirectWays() = default;

  /// Sends \p packet to IPU packet.to, after all that was sent to it before.
  /// \returns Kept, Full or Unreachable
  virtual Handover send(const DirectPacket &packet) = 0;
  /// Messages to \p neighbour that it has not taken yet.
  virtual std::uint64_t untaken(wire::IpuId neighbour) const = 0;
  /// Offers packets again that Handlers::onDirect has refused. The reactor's thread.
  virtual void offerAgain() = 0;

  /// Grows with every interrupt().
  virtual std::uint64_t interrupts() const = 0;
  /// Ends an await(), this one or the next: something else than a message has come.
  virtual void interrupt() = 0;
  /// Hands over what has come, on the calling thread, and says who is writable again.
  /// \param mine  is asked before Handlers::onDirect, and returns whether it has taken the packet; may be empty
  /// \returns whether there was anything
  virtual bool poll(const TakePacket &mine) = 0;
  /// Instead of await(), by a thread that has what it would have waited for: it is expected back as one that waits is, so
  /// nobody wakes another thread for the next message.
  virtual void passBy() = 0;
  /// Waits until poll() has something to do, or interrupts() is not \p seen; or for no reason.
  virtual void await(std::uint64_t seen, Clock::time_point deadline) = 0;
  /// Hands over what has come; waits if nothing has.
  void pollOrAwait(std::uint64_t seen, Clock::time_point deadline) {
    if (!poll({}))
      await(seen, deadline);
  }
};

/// The way that the messages of one node travel: an inbox, and a way to each neighbour. All that links need
/// of the world. A transport may lose, repeat and reorder whole messages (links mend that), but it
/// never blocks.
///
/// Life: bind(), watch(), then connect() and send(); disconnectAll() before other neighbours.
///
/// Thread: the reactor's, but for send() and payloadTo(), which one thread at a time may call while
/// nobody connects or disconnects. Handlers are called on the reactor's thread, or by poll().
class Transport {
public:
  struct Handlers {
    /// \p sender is the node that sent the message, as the transport has proved it; empty: the
    /// transport proves nothing.
    std::function<void(LinkMessage &&, const std::string &sender)> onMessage;
    /// \param evenIfFull  the sender has left: the packet cannot wait
    /// \returns false, and leaves the packet as it is: there is no room. It waits, and all behind it, for the next poll() or
    ///   offerAgain()
    std::function<bool(DirectPacket &, bool evenIfFull)> onDirect;
    /// A neighbour takes messages again after Handover::Full.
    std::function<void(wire::IpuId neighbour)> onWritable;
    /// Something came that was no message of anybody, and why.
    std::function<void(const std::string &why)> onBad;
    /// The way to a neighbour has ended, and why. Not told by transports that open it anew.
    std::function<void(wire::IpuId neighbour, const std::string &why)> onLost;
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
  /// \param urgent  the receiver has to pass the message on, or has packets to pass on that wait for
  ///   it, even if no thread there waits for a message
  virtual Handover send(wire::IpuId neighbour, const wire::Envelope &envelope,
                        const Payload &payload, bool urgent) = 0;
  /// Memory for the payload of a message to \p neighbour: sent once and through this transport, it
  /// may go without a copy.
  /// \returns nothing if there is no room now
  virtual std::optional<Payload> payloadTo(wire::IpuId neighbour, std::size_t bytes) {
    (void)neighbour;
    return Payload(bytes);
  }
  /// Null: the transport has none. The same at all times.
  virtual DirectWays *direct() { return nullptr; }
};

/// Makes the transport of a node that will listen at an endpoint of \p kind.
/// \param highWater  messages that may wait in one direction to one neighbour
using TransportFactory =
    std::function<std::unique_ptr<Transport>(Reactor &reactor, TransportKind kind, int highWater)>;

/// The transports of IPU-Links: rings in shared memory for shm; ZeroMQ over inproc, ipc or tcp; with
/// keys, TLS over tcp.
/// \param context   of the process; outlives all that is made
/// \param keys      null: there are none
/// \param refusals  counts the connections of strangers
TransportFactory linkTransports(zmq::context_t &context, std::shared_ptr<const Keyring> keys = {},
                                std::shared_ptr<Refusals> refusals = std::make_shared<Refusals>());

} // namespace copse::fabric
