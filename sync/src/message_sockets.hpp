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

/// The inbox for one IPU's small messages, and its channels to other IPUs. A message arrives whole
/// or not at all, and may be lost, so senders must be able to repeat it.
///
/// Thread: one at a time.
class MessageSockets {
public:
  /// The longest message that is accepted [bytes]. The limit keeps a hostile peer from making us
  /// allocate more.
  static constexpr std::size_t kMaxBytes = 64 << 10;

  virtual ~MessageSockets() = default;
  virtual wire::Status bind(const fabric::Endpoint &endpoint) = 0;
  virtual const fabric::Endpoint &endpoint() const = 0;

  /// \param name  the peer's name in the cluster file, if there are keys
  virtual wire::Status open(wire::IpuId peer, const fabric::Endpoint &endpoint,
                            const std::string &name) = 0;
  virtual bool isOpen(wire::IpuId peer) const = 0;
  virtual void closeConnections() = 0;
  /// Sends \p message without blocking. A message that cannot go now is sent by wait(), or is lost.
  /// \param attached  memory to share with the peer, if carriesMemory(); null: none
  virtual void send(wire::IpuId peer, std::span<const std::byte> message,
                    std::shared_ptr<const fabric::SharedMemory> attached) = 0;
  /// Returns true if the peers are processes of this machine and messages can share memory with
  /// them.
  virtual bool carriesMemory() const = 0;

  struct Received {
    std::vector<std::byte> bytes;
    /// False if the peer sent anything but a single message of at most kMaxBytes.
    bool whole = true;
    std::string sender{}; ///< with keys, the name of the node that sent it
    fabric::Descriptor attached{};
  };
  /// Returns the next message, or nothing if none has arrived.
  virtual std::optional<Received> receive() = 0;
  /// Waits until a message has arrived, descriptor \p wakeUp is readable, or \p time has passed.
  /// May also return spuriously.
  virtual void wait(int wakeUp, std::chrono::milliseconds time) = 0;
};

/// Returns sockets that speak ZeroMQ's protocol, for tcp and inproc endpoints.
/// \param keys      null: any peer may connect
/// \param refusals  counts the connections that were refused
std::unique_ptr<MessageSockets> makeZmqSockets(zmq::context_t &context,
                                               std::shared_ptr<const fabric::Keyring> keys,
                                               std::shared_ptr<fabric::Refusals> refusals);

/// Returns datagram sockets between processes of one machine, for ipc endpoints. ZeroMQ would pass
/// each message through threads of its own, and those hops dominate a round trip.
std::unique_ptr<MessageSockets> makeLocalSockets();

} // namespace copse::sync
