#pragma once

#include "fabric/endpoint.hpp"
#include "fabric/refusals.hpp"
#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <zmq.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace copse::fabric {
class Keyring;
}

namespace copse::sync {

/// The sockets through which one IPU sends and receives sync messages. The barriers of all its
/// groups share them.
///
/// Life: bind(); pass endpoint() to the other IPUs; connect(); make barriers. After a failure, call
/// reset() on all IPUs with the next epoch. To join another partition, destroy the barriers and
/// connect() again. Destroy the port after its barriers.
///
/// Thread: the sockets belong to the thread that runs the control program. That thread waits on
/// them itself, because a hop over another thread would lengthen every sync point. Another thread
/// may call bind(), connect() and reset() while the owner does not wait. Any thread may call stop()
/// at any time.
class SyncPort {
public:
  class Impl;
  /// \param context   the process's context; must outlive the port
  /// \param endpoint  to listen at
  /// \param keys      keys of peers that may connect; null: any peer may. Keys need a tcp endpoint
  /// \param refusals  counts the connections that were refused
  static wire::Result<std::unique_ptr<SyncPort>>
  bind(zmq::context_t &context, const fabric::Endpoint &endpoint,
       std::shared_ptr<const fabric::Keyring> keys = {},
       std::shared_ptr<fabric::Refusals> refusals = std::make_shared<fabric::Refusals>());
  ~SyncPort();

  /// Returns the endpoint that the other IPUs connect to.
  const fabric::Endpoint &endpoint() const;

  /// Sets the peers of this IPU.
  /// \param endpoints  endpoints of all IPUs that share a group with \p self; other entries are
  ///   ignored
  /// \param names      names of these IPUs in the cluster file; needed if there are keys
  void connect(wire::IpuId self, const std::map<wire::IpuId, fabric::Endpoint> &endpoints,
               std::uint32_t epoch = 0, const std::map<wire::IpuId, std::string> &names = {});

  /// Ends the current wait, and all later ones until reset(), with \p status. The other members of
  /// the waiting barrier's group leave with that error too.
  void stop(wire::Status status);

  /// Forgets stop() and everything that was received. Sync points count from 0 again, and messages
  /// of other epochs are dropped.
  void reset(std::uint32_t epoch);

  /// Processes the messages that have arrived and sends those that are queued, without waiting.
  /// Call this regularly while no barrier waits: a member that missed the end of the last sync
  /// point requests it again.
  void answer();

  /// Returns the number of messages since bind() that were dropped because they were malformed.
  std::uint64_t malformed() const;

private:
  friend class Barrier;
  explicit SyncPort(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Formats IPUs and steps for a barrier's error messages.
struct BarrierNames {
  std::function<std::string(wire::IpuId)> member; ///< empty: "ipu 3"
  std::function<std::string(std::uint32_t)> step; ///< empty: "step 12"
};

/// IPUs that exchange data must wait for each other first. A Barrier is one IPU's side of a sync
/// group: at each sync point, call arrive() and then wait(). The member with the lowest number
/// coordinates: each other member sends it one message and gets one back. A group of one sends
/// nothing.
///
/// Thread: the thread of the control program.
class Barrier {
public:
  /// \param port     connected to all members; must outlive the barrier. A port has at most one
  ///   barrier per group
  /// \param members  IPUs of the group, shape [n], sorted, without repeats; must contain the port's
  ///   IPU
  /// \param latency  from the latest arrival to the leave [modelled cycles]; equal on all members
  /// \param timeout  longest wait for one sync point [wall-clock]
  Barrier(SyncPort &port, wire::SyncGroup group, std::vector<wire::IpuId> members,
          wire::Cycles latency, std::chrono::milliseconds timeout, BarrierNames names = {});
  ~Barrier();

  /// Reports that this IPU is at its sync point, at modelled time \p now.
  /// \param step  step of the control program; the members must all be at one step
  void arrive(wire::Cycles now, std::uint32_t step = 0);

  /// Returns the number of sync points that this IPU has left since the last SyncPort::reset().
  std::uint64_t passed() const;

  /// Blocks until every member has arrived.
  /// \param onLate  called once if the wait has taken kLate [wall-clock]
  /// \returns the modelled time at which all members leave, which is the latest arrival plus the
  ///   latency; or
  ///   - Code::VertexFault  members are at different steps; the message names two of them
  ///   - Code::Timeout      the message names the group and the IPUs that are missing
  ///   - the error that fail() or stop() was called with, here or on another member
  wire::Result<wire::Cycles> wait(const std::function<void()> &onLate = {});
  static constexpr std::chrono::milliseconds kLate{200};

  /// Reports that this IPU will never reach its sync point, so that the other members leave with \p
  /// status. Does not wait.
  void fail(const wire::Status &status);

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace copse::sync
