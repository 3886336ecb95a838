#pragma once

#include "fabric/endpoint.hpp"
#include "sync/groups.hpp"
#include "wire/ids.hpp"
#include "wire/image.hpp"
#include "wire/result.hpp"
#include "wire/session.hpp"
#include "wire/step_times.hpp"
#include "wire/vertex_cycles.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace copse::fabric {
class Keyring;
}

/// The host's side of a partition: starts or joins its IPUs, loads images, runs programs, and serves their streams
/// and remote buffers. Knows images and rows, not tensors.
namespace copse::session {

using Transport = fabric::TransportKind;

/// An ipud that is there already: a machine joins it, and leaves it when it ends.
struct Node {
  std::string name;                ///< for messages: "ipu-2 of lab.json"
  std::string control, link, sync; ///< its endpoints
  std::string identity;            ///< as the cluster's keys call it: "ipu-2"
};

struct MachineOptions {
  std::uint32_t ipus = 1;
  bool timesSteps = false; ///< IPUs keep when their steps ran, for stepTimes()
  wire::Topology topology = wire::Topology::Mesh;
  /// Inproc: IPUs are threads of this process (IPUModel, CPU devices). Else each is an ipud process, over shared
  /// memory or ipc in a private 0700 directory, or over tcp on loopback.
  Transport transport = Transport::Shm;
  std::string
      ipudPath; ///< empty: $COPSE_IPUD, or beside this program or libpoplar.so, or on the PATH
  std::string machineModel;   ///< the JSON text of a file of configs/
  unsigned threadsPerIpu = 0; ///< 0: cores / ipus, at least 1
  /// If not empty, the IPUs in their order, shape [ipus]; nothing is started then, and transport, ipudPath and
  /// startTimeout have no meaning.
  std::vector<Node> nodes;
  /// The other IPUs of the cluster, among them those of host programs that run replicas of the same program.
  std::vector<Node> others;
  std::string partition; ///< host programs that share a program's replicas have the same name here
  std::shared_ptr<const fabric::Keyring>
      keys; ///< of the cluster that the nodes are of; null: there are none
  std::string
      rbufd; ///< endpoint of who keeps remote buffers if $COPSE_RBUFD names none; empty: this process
  /// Under which it keeps them, if $COPSE_RBUFD_NAME gives no name; empty: it keeps them for one load.
  std::string rbufdName;
  std::function<void(const std::string &)> warn; ///< of what the user should know; may be empty
  /// Of remote buffers in this process, before it is warned of [bytes]; not set: half of the machine's memory.
  std::optional<std::uint64_t> mostRowBytes;
  std::chrono::milliseconds startTimeout{10'000};
  std::chrono::milliseconds heartbeatTimeout{
      3'000}; ///< silence after which an IPU counts as dead [wall-clock]
  std::chrono::milliseconds syncTimeout{
      60'000}; ///< longest wait of one IPU for the others at a sync point
};

/// A parity error that a load injects into tile memory.
struct InjectedError {
  std::uint32_t ipu = 0;
  wire::TileAddress where;
};

struct StreamDescription {
  std::string handle;
  wire::Direction direction = wire::Direction::ToDevice;
  std::uint64_t rowBytes = 0; ///< of one replica and one transfer
  bool broadcast = false;     ///< one row feeds all replicas
  std::uint32_t bufferingDepth = 1;
  bool prefetch = true; ///< may be filled ahead of time, if the program may
};

struct RemoteBufferDescription {
  std::string handle;
  std::uint64_t rowBytes = 0;
  std::uint64_t rows = 1; ///< of each replica
};

/// The host program's end of the streams. Called while run() waits, on threads of the machine's own that own no
/// socket; one call at a time, if Program::callbacksSideBySide is 0. A prefetch() that waits is the exception: others go
/// on without it, also run(), and what it gives at last is there for the next one. So are calls that give way
/// (givesWay()). Exceptions end the run and come out of run().
///
/// Which calls there are, and their order within one stream and replica, does not depend on timing. Without prefetch
/// each transfer is fetch(), complete(). With it, prefetch() is called when a run begins whose program uses the stream, and
/// after each complete(), until bufferingDepth rows wait or it says false; a transfer for which no row waits calls fetch().
/// Rows that a run did not use wait for the next run. Calls of one stream and replica never overlap. Within one replica,
/// transfers are begun in the order of the program.
class StreamHandler {
public:
  virtual ~StreamHandler() = default;
  enum class Call : std::uint8_t { Fetch, Prefetch, Complete, Take, Print };
  /// Whether such a call runs code of the host program, which may wait for something. Calls that do not are made where
  /// they cost least. Nobody asks for a print.
  virtual bool mayWait(Call /*call*/, std::uint32_t /*stream*/, std::uint32_t /*replica*/) const {
    return true;
  }
  /// Whether a fetch() or take() of this stream is to hold up no other call, as a prefetch() that
  /// waits.
  virtual bool givesWay(std::uint32_t /*stream*/, std::uint32_t /*replica*/) const { return false; }
  /// The next call on this thread is of a moment of the device, on its modelled clock; of 0: of
  /// the begin of the run.
  virtual void calledAt(wire::Cycles /*moment*/) {}
  /// A call of this stream has not returned in time, and is left to itself.
  virtual void leftToItself(std::uint32_t /*stream*/, std::uint32_t /*replica*/) {}
  /// Fills \p row for the next transfer to \p replica (0 for a broadcast stream).
  virtual void fetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) = 0;
  /// As fetch(), ahead of time.
  /// \returns false if there is no data yet: fetch() is then called later
  virtual bool prefetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) = 0;
  /// The data of the oldest fetch or successful prefetch has reached the device.
  virtual void complete(std::uint32_t stream, std::uint32_t replica) = 0;
  /// Takes a row that came from \p replica. It may be written to, and lie at any address.
  virtual void take(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) = 0;
  /// Prefetched rows that were never used are void.
  virtual void invalidatePrefetched(std::uint32_t stream, std::uint32_t replica) = 0;
  /// A whole printed tensor of one replica, row-major.
  virtual void print(std::uint32_t tensor, std::uint32_t replica,
                     std::span<const std::byte> row) = 0;
};

/// Bytes of a codelet module, by hash.
using ModuleBytes = std::function<std::span<const std::byte>(const std::string &sha256)>;

/// What all replicas load.
struct Program {
  /// Shape [ipusPerReplica]; none may be null. A load does not copy Image::data: messages refer to it until they are
  /// sent.
  std::vector<std::shared_ptr<const wire::Image>> images;
  std::uint32_t replicas = 1; ///< that this host program runs
  /// If other host programs of the cluster run the rest: number of the first one here, and the number of all. Each
  /// loads the same images; load() waits for all of them. All other numbers of replicas here are local, from 0.
  std::uint32_t firstReplica = 0, allReplicas = 1;
  bool isShared() const { return allReplicas > replicas; }
  std::vector<StreamDescription> streams;
  std::vector<RemoteBufferDescription> remoteBuffers;
  std::uint64_t rows =
      0; ///< number of the remote buffers: a program that is loaded again finds those of its number
  ModuleBytes modules;
  bool prefetch = false; ///< fill host-to-device rows ahead of time
  unsigned callbacksSideBySide =
      0; ///< calls of the StreamHandler at once, of different streams; 0: they take turns
  /// By program, the streams that it uses: no others are prefetched for a run of it. Empty: all of them.
  std::vector<std::vector<std::uint32_t>> streamsOfPrograms;
  std::chrono::milliseconds callbackTimeout{
      300'000}; ///< longest call of the StreamHandler [wall-clock]; 0: none
  /// Longest wait of one IPU for others [wall-clock]; not set: MachineOptions::syncTimeout.
  std::optional<std::chrono::milliseconds> syncTimeout;
  wire::SyncConfiguration syncConfiguration = wire::SyncConfiguration::IntraReplicaAndAll;
  std::uint64_t workerSeed =
      0; ///< of the order in which the vertices of a tile run; 0: that of the image
};

struct IpuReport {
  wire::Cycles start, end; ///< modelled clock of this IPU
};

struct RunReport {
  std::vector<IpuReport> ipus; ///< shape [ipus]
  wire::Cycles end() const;    ///< the latest
};

/// For who wants to know how far a long call is: told a few times a second, on the caller's thread or that of the
/// callbacks. Members may be empty; then the IPUs are not asked.
struct ProgressHandlers {
  std::function<void(std::uint64_t done, std::uint64_t all)> loaded; ///< [bytes], of all IPUs
  std::function<void(const wire::session::Progress &)> ran;          ///< of the first IPU
};

/// A partition of IPUs that this host program holds. Its processes end when it ends, however it ends, and leave no
/// file behind. After a failed run(), load() makes it usable again; an ipud that died is started anew. Nodes of a
/// cluster are held exclusively instead, from start() to the end, and free again within heartbeatTimeout, and half
/// a second more, of an end of this process without notice; one that died is joined again when somebody else has
/// started it.
///
/// Thread: one caller at a time.
class Machine {
public:
  /// \returns Held if another host program holds one of the nodes, naming it; Disconnected for one that does not
  /// answer; NotFound, Timeout, OutOfMemory for processes that cannot be started
  static wire::Result<std::unique_ptr<Machine>> start(MachineOptions options);
  virtual ~Machine() = default;

  virtual wire::Status load(Program program, const ProgressHandlers &progress = {}) = 0;

  /// Runs program \p index on all IPUs; serves their streams through \p handler until all are done or one has
  /// failed, and then stops the others. An exception of the handler comes out as it is; placeOfException()
  /// tells where it came from. A call that takes longer than Program::callbackTimeout is left to itself: from then on nothing but
  /// what the handler itself touches after it returns is used by it. After a failure nothing is loaded any more.
  /// \returns what the first IPU that failed said, naming it; Disconnected, naming IPU and process, for one that
  /// died or fell silent
  virtual wire::Result<RunReport> run(std::uint32_t index, StreamHandler &handler,
                                      const ProgressHandlers &progress = {}) = 0;

  /// What the handler was called for when it threw, in the last run() that an exception left: "stream 'in',
  /// replica 1 of 2, host transfer 3 of the run (copy 'feed')".
  virtual std::string placeOfException() const = 0;

  /// Rows of \p stream that were prefetched and not used are void; says so to \p handler. Call it before a stream
  /// gets another source, and before load() (which drops such rows without a word).
  virtual void invalidatePrefetched(std::uint32_t stream, StreamHandler &handler) = 0;

  /// Remote buffers that nobody asked to keep are not needed any more, as their program is not.
  virtual void endRows(std::uint64_t rows) = 0;

  /// Waits up to a second for a prefetch() that goes on after a run.
  /// \returns whether none does any more
  virtual bool awaitCalls() = 0;

  /// Reads hostViews[view] of every replica: \p rows has `replicas` rows of rowBytes, one after another.
  virtual wire::Status read(std::uint32_t view, std::span<std::byte> rows) = 0;
  /// Writes hostViews[view]: one row for all replicas, or one per replica.
  virtual wire::Status write(std::uint32_t view, std::span<const std::byte> rows) = 0;

  /// One row of a remote buffer.
  virtual wire::Status readRow(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                               std::span<std::byte> bytes) = 0;
  virtual wire::Status writeRow(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                                std::span<const std::byte> bytes) = 0;

  /// What went over the IPU-Links of every IPU since the load; shape [ipus][its links].
  virtual wire::Result<std::vector<std::vector<wire::session::LinkTraffic>>> links() = 0;

  /// Of the IPUs of the first replica, shape [ipusPerReplica], as far as they have run since the load.
  virtual wire::Result<std::vector<wire::MeasuredCycles>> vertexCycles() = 0;

  /// Of the last run, of the IPUs of the first replica, shape [ipusPerReplica]; empty unless MachineOptions::timesSteps.
  virtual wire::Result<std::vector<wire::StepTimes>> stepTimes() = 0;

  /// Nothing is loaded any more, and tile memory has no parity errors; nodes of a cluster that had
  /// been lost are joined again.
  /// \returns as start(), for these
  virtual wire::Status unload() = 0;

  /// Gives words of tile memory parity errors, which stay until unload(), or until their ipud ends.
  /// \returns InvalidOption for an IPU that the partition does not have
  virtual wire::Status injectErrors(std::span<const InjectedError> errors) = 0;

  virtual std::uint32_t ipus() const = 0;
  /// Process ids of the ipud that this machine started, in order of IPU; empty for Transport::Inproc.
  virtual std::vector<int> processes() const = 0;
};

} // namespace copse::session
