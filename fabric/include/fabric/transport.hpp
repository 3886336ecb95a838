#pragma once

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

/// What carries the bytes between two neighbours.
enum class TransportKind : std::uint8_t {
  Inproc, ///< within one process and one ZeroMQ context
  Ipc,    ///< between processes of one machine
  Tcp,    ///< between machines; beyond loopback with keys only
};

/// The endpoint to listen at.
/// \param where  Inproc: a name, unique in the context; Ipc: the path of the socket file, in a
/// directory of the
///               caller's (0700); Tcp: the address of an interface, such as "127.0.0.1"; the OS
///               picks the port
std::string listenEndpoint(TransportKind kind, const std::string &where);

/// One inbox and a way to each neighbour: all that links need of the world. It may lose, repeat and
/// reorder whole messages (links mend that), but it never blocks.
///
/// Thread: the reactor's.
class Transport {
public:
  /// \p sender is who sent it, by the keys; empty without keys
  using OnMessage = std::function<void(Frames, const std::string &sender)>;
  using OnWritable = std::function<void(wire::IpuId neighbour)>;
  /// Told of bytes that were no message of anybody, and why.
  using OnBad = std::function<void(const std::string &why)>;
  virtual ~Transport() = default;

  /// Listens. \returns the real endpoint, which neighbours connect to
  virtual wire::Result<std::string> bind(const std::string &endpoint) = 0;
  /// Who gets what arrives, and who learns that a neighbour whose queue was full takes messages
  /// again.
  virtual void watch(OnMessage onMessage, OnWritable onWritable, OnBad onBad) = 0;
  /// Opens the way to \p neighbour, which need not be there yet (but for inproc); replaces an older
  /// one.
  /// \param name  of the neighbour among the keys, if there are keys
  virtual wire::Status connect(wire::IpuId neighbour, const std::string &endpoint,
                               const std::string &name) = 0;
  virtual void disconnectAll() = 0;
  /// Sends all frames as one message, or none: then \p frames is as it was.
  virtual Sent send(wire::IpuId neighbour, Frames &frames) = 0;
  /// Sends a short message on a quicker way, on which it may overtake what send() took before; what
  /// send() takes afterwards does not overtake it. \returns false: there is no such way, or no room
  /// on it; then send() may take it
  virtual bool sendShort(wire::IpuId neighbour, const Frames &frames) = 0;
  /// Whether what send() takes goes by a sealed way now. Any thread.
  virtual bool sealed(wire::IpuId neighbour) const = 0;
  /// Where the sealed ways of neighbours lead to; 0: nowhere. After bind().
  virtual std::uint16_t sealedPort() const = 0;
};

/// All three kinds, over ZeroMQ: a PULL socket, and a PUSH socket per neighbour. Short messages
/// over ipc go as datagrams, with none of ZeroMQ's threads between sender and receiver. With keys,
/// messages over tcp go by sealed ways as soon as there are any: CURVE makes them, and is slower.
/// \param highWater  messages that may wait in one direction to one neighbour
/// \param keys       null: there are none
std::unique_ptr<Transport> makeZmqTransport(Reactor &reactor, zmq::context_t &context,
                                            int highWater, std::shared_ptr<const Keyring> keys);

} // namespace copse::fabric
