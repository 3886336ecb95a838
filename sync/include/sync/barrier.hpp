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

/// One IPU's sockets for sync messages, shared by the barriers of all its groups.
///
/// Life: bind(); hand endpoint() to the others; connect(); make barriers; after a failure reset()
/// on all IPUs with the next epoch; connect() again for another partition, when the old barriers
/// are gone; destroy after its barriers.
///
/// Thread: the sockets belong to the thread that runs the control program, which waits on them
/// itself, so that no other thread stands between two IPUs. bind(), connect() and reset() may be
/// called by another while none waits. stop() by any, at any time.
class SyncPort {
public:
  class Impl;
  /// \param context   of the process; outlives the port
  /// \param endpoint  to listen at
  /// \param keys      who may speak to it, and as whom; null: everybody. With keys the endpoint is
  /// of tcp
  /// \param refusals  counts the connections of strangers
  static wire::Result<std::unique_ptr<SyncPort>>
  bind(zmq::context_t &context, const fabric::Endpoint &endpoint,
       std::shared_ptr<const fabric::Keyring> keys = {},
       std::shared_ptr<fabric::Refusals> refusals = std::make_shared<fabric::Refusals>());
  ~SyncPort();

  /// Where the other IPUs connect to.
  const fabric::Endpoint &endpoint() const;

  /// \param endpoints  of all IPUs that share a group with \p self; \p self and others are ignored
  /// \param names      with keys, what the cluster calls each of them
  void connect(wire::IpuId self, const std::map<wire::IpuId, fabric::Endpoint> &endpoints,
               std::uint32_t epoch = 0, const std::map<wire::IpuId, std::string> &names = {});

  /// Whoever waits, now and until reset(), leaves with \p status, and the other members of its
  /// group with it.
  void stop(wire::Status status);

  /// Forgets stop() and everything that was received; sync points count from 0 again. Messages of
  /// other epochs are dropped from now on.
  void reset(std::uint32_t epoch);

  /// Takes what has come and sends what could not go yet, without waiting. While no barrier is
  /// waited for, this is to be called every now and then: another member may not have heard that
  /// all have left the last sync point, and asks again.
  void answer();

  /// Messages that were dropped because they were no sound sync message. Since bind().
  std::uint64_t malformed() const;

private:
  friend class Barrier;
  explicit SyncPort(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// How a barrier's messages name what it knows by number.
struct BarrierNames {
  std::function<std::string(wire::IpuId)> member; ///< empty: "ipu 3"
  std::function<std::string(std::uint32_t)> step; ///< empty: "step 12"
};

/// One IPU's side of a sync group: at each sync point arrive(), then wait(). The members' lowest
/// IPU coordinates: one message of every other member to it, and one back. A group of one costs
/// nothing.
///
/// Thread: the control program's.
class Barrier {
public:
  /// \param port     connected to all members; outlives the barrier; one barrier per group
  /// \param members  IPUs of the group, shape [n], sorted, without repeats; contains the port's own
  ///   IPU
  /// \param latency  from the latest arrival to the leave [modelled cycles]; the same on every
  ///   member
  /// \param timeout  longest wait for one sync point [wall-clock]
  Barrier(SyncPort &port, wire::SyncGroup group, std::vector<wire::IpuId> members,
          wire::Cycles latency, std::chrono::milliseconds timeout, BarrierNames names = {});
  ~Barrier();

  /// This IPU is at its sync point, at modelled time \p now.
  /// \param step  of its control program: all members must be at the same one
  /// \param work  of its vertices since its last sync point [modelled cycles of all together]; tells where members that
  ///              share cores are best placed
  void arrive(wire::Cycles now, std::uint32_t step = 0, std::uint64_t work = 0);

  /// Sync points that this IPU has left, since the last SyncPort::reset().
  std::uint64_t passed() const;

  /// Blocks until every member has arrived.
  /// \param onLate  called once if somebody keeps this IPU waiting for kLate [wall-clock]
  /// \returns the modelled time at which all leave, the same on every member: the latest arrival
  /// plus the latency; or
  ///   - Code::VertexFault  members are at different steps; the message names two of them
  ///   - Code::Timeout  the message names the group and the IPUs that are missing
  ///   - the error with which a member called fail(), or with which stop() was called, here or on a
  ///   member
  wire::Result<wire::Cycles> wait(const std::function<void()> &onLate = {});
  static constexpr std::chrono::milliseconds kLate{200};

  /// This IPU will not come to its sync point: the others leave theirs with \p status. Does not
  /// wait.
  void fail(const wire::Status &status);

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace copse::sync
