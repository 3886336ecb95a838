#pragma once

#include "fabric/descriptor.hpp"
#include "fabric/endpoint.hpp"
#include "fabric/keys.hpp"
#include "fabric/refusals.hpp"
#include "fabric/shared_memory.hpp"
#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <zmq.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace copse::sync {

/// Where one IPU gets small messages, and its ways to others. A message arrives whole or not at
/// all: the sender has to repeat what was lost.
///
/// Thread: one at a time.
class MessageSockets {
public:
  /// Longest message that is taken [bytes]: a stranger's claims must not make us allocate more.
  static constexpr std::size_t kMaxBytes = 64 << 10;

  virtual ~MessageSockets() = default;
  virtual wire::Status bind(const fabric::Endpoint &endpoint) = 0;
  virtual const fabric::Endpoint &endpoint() const = 0;

  /// \param name  of the peer among the keys, if there are keys
  virtual wire::Status open(wire::IpuId peer, const fabric::Endpoint &endpoint,
                            const std::string &name) = 0;
  virtual bool isOpen(wire::IpuId peer) const = 0;
  virtual void closeWays() = 0;
  /// Does not wait; a message that cannot go now may go in wait(), or be lost.
  /// \param attached  memory that the peer gets with the message, if carriesMemory(); null: none
  virtual void send(wire::IpuId peer, std::span<const std::byte> message,
                    std::shared_ptr<const fabric::SharedMemory> attached) = 0;
  /// The peers are processes of this machine, and messages can bring them shared memory.
  virtual bool carriesMemory() const = 0;

  struct Received {
    std::vector<std::byte> bytes;
    bool whole = true;    ///< false: it was no single message of at most kMaxBytes
    std::string sender{}; ///< with keys, the node that sent it
    fabric::Descriptor attached{};
  };
  /// Nothing, if nothing has come.
  virtual std::optional<Received> receive() = 0;
  /// Until something has come, or descriptor \p wakeUp is readable, or for \p time; or for no
  /// reason.
  virtual void wait(int wakeUp, std::chrono::milliseconds time) = 0;
};

/// Sockets that speak ZeroMQ's protocol, for endpoints of tcp and inproc.
/// \param keys      null: there are none
/// \param refusals  counts the connections of strangers
std::unique_ptr<MessageSockets> makeZmqSockets(zmq::context_t &context,
                                               std::shared_ptr<const fabric::Keyring> keys,
                                               std::shared_ptr<fabric::Refusals> refusals);

/// Datagrams between processes of one machine, for endpoints of ipc. No thread stands between
/// sender and receiver, as ZeroMQ's do, which is what the time of a round trip is made of.
std::unique_ptr<MessageSockets> makeLocalSockets();

} // namespace copse::sync
