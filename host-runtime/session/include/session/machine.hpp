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

/// The host's side of a partition: starts or joins its IPUs, loads images, runs programs, and
/// serves their streams and remote buffers. This layer knows images and rows, but not tensors.
namespace copse::session {

using Transport = fabric::TransportKind;

/// A running ipud of a cluster. A machine joins it, and releases it at its end.
struct Node {
  std::string name;                ///< for messages: "ipu-2 of lab.json"
  std::string control, link, sync; ///< its endpoints
  std::string identity;            ///< its name among the cluster's keys: "ipu-2"
};

/// How to start or find the IPUs of a Machine, and how long to wait for them.
struct MachineOptions {
  std::uint32_t ipus = 1;
  /// True: IPUs record when their steps ran, for stepTimes().
  bool timesSteps = false;
  wire::Topology topology = wire::Topology::Mesh;
  /// Inproc: IPUs are threads of this process (IPUModel, CPU devices). Otherwise each IPU is an
  /// ipud process, reached over shared memory or ipc in a private 0700 directory, or over tcp on
  /// loopback.
  Transport transport = Transport::Shm;
  std::string ipudPath;       ///< empty: $COPSE_IPUD, or searched: see findIpud()
  std::string machineModel;   ///< the JSON text of a file of configs/
  unsigned threadsPerIpu = 0; ///< 0: cores / ipus, at least 1
  /// The nodes to use as IPUs in order, shape [ipus]. If it is not empty, nothing is started, and
  /// transport, ipudPath and startTimeout are ignored.
  std::vector<Node> nodes;
  /// The other IPUs of the cluster, including IPUs of host programs that run replicas of this
  /// program.
  std::vector<Node> others;
  /// Host programs that share the replicas of a program have equal names here.
  std::string partition;
  std::shared_ptr<const fabric::Keyring> keys; ///< keys of the nodes' cluster; null: none are used
  /// The endpoint of the rbufd for remote buffers unless $COPSE_RBUFD names one; empty: this
  /// process keeps them.
  std::string rbufd;
  /// The store's name at that rbufd, unless $COPSE_RBUFD_NAME gives one; empty: the store exists
  /// for one load.
  std::string rbufdName;
  std::function<void(const std::string &)> warn; ///< receives warnings for the user; may be empty
  /// The size of remote buffers in this process above which it warns [bytes]; empty: half of the
  /// machine's memory.
  std::optional<std::uint64_t> mostRowBytes;
  std::chrono::milliseconds startTimeout{10'000};
  std::chrono::milliseconds heartbeatTimeout{
      3'000}; ///< silence after which an IPU is considered dead [wall-clock]
  std::chrono::milliseconds syncTimeout{
      60'000}; ///< longest wait of an IPU for others at a sync point
};

/// A parity error to inject into tile memory at a load.
struct InjectedError {
  std::uint32_t ipu = 0;
  wire::TileAddress where;
};

/// A stream of a program, as the session needs it.
struct StreamDescription {
  std::string handle;
  wire::Direction direction = wire::Direction::ToDevice;
  std::uint64_t rowBytes = 0; ///< per replica and transfer
  bool broadcast = false;     ///< one row feeds all replicas
  std::uint32_t bufferingDepth = 1;
  bool prefetch = true; ///< true: rows may be prefetched, if the program may prefetch
};

struct RemoteBufferDescription {
  std::string handle;
  std::uint64_t rowBytes = 0;
  std::uint64_t rows = 1; ///< per replica
};

/// The host program's end of the streams.
///
/// Thread: called during run(), on threads of the machine that own no socket. If
/// Program::callbacksSideBySide is 0, there is one call at a time. But a prefetch() that waits does
/// not delay other calls, nor the end of run(); the next transfer uses its row. Calls that yield
/// (yields()) do not delay other calls either.
///
/// Errors: an exception ends the run, and run() throws it.
///
/// Order: the calls of one stream and replica, and their order, do not depend on timing. Without
/// prefetch, each transfer calls fetch() and complete(). With prefetch, prefetch() is called at the
/// start of a run whose program uses the stream, and after each complete(), until bufferingDepth
/// rows are ready or it returns false; a transfer without a ready row calls fetch(). Rows that a
/// run does not use are kept for the next run. Calls of one stream and replica never overlap.
/// Within a replica, transfers start in program order.
class StreamHandler {
public:
  virtual ~StreamHandler() = default;
  enum class Call : std::uint8_t { Fetch, Prefetch, Complete, Take, Print };
  /// Returns true if this call runs code of the host program, which may wait for something. Other
  /// calls are made where they cost least. Prints are always assumed to wait.
  virtual bool mayWait(Call /*call*/, std::uint32_t /*stream*/, std::uint32_t /*replica*/) const {
    return true;
  }
  /// Returns true if a fetch() or take() of this stream must not delay other calls, like a
  /// prefetch() that waits.
  virtual bool yields(std::uint32_t /*stream*/, std::uint32_t /*replica*/) const { return false; }
  /// Gives the moment of the device, on its modelled clock, to which the next call on this thread
  /// belongs. 0 is the beginning of the run.
  virtual void calledAt(wire::Cycles /*moment*/) {}
  /// Returns the host program's time at the start of a run that meets other host programs
  /// [modelled ns since 1970]; 0: its clocks are real.
  virtual std::uint64_t programTime() const { return 0; }
  /// Called when such a run has begun, once for each IPU, before the calls of its transfers. The
  /// calls of prefetch() at the start of the run may come earlier.
  /// \param start        the device's moment at which all host programs' IPUs began
  /// \param programTime  the latest programTime() of the host programs, at that moment
  virtual void began(wire::Cycles /*start*/, std::uint64_t /*programTime*/) {}
  /// Called when a call of this stream has not returned in time and is abandoned.
  virtual void abandoned(std::uint32_t /*stream*/, std::uint32_t /*replica*/) {}
  /// Fills \p row for the next transfer to \p replica (0 for a broadcast stream).
  virtual void fetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) = 0;
  /// Fills a row like fetch(), but in advance.
  /// \returns false if there is no data yet; fetch() is then called later
  virtual bool prefetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) = 0;
  /// Called when the data of the oldest fetch or successful prefetch has reached the device.
  virtual void complete(std::uint32_t stream, std::uint32_t replica) = 0;
  /// Receives a row from \p replica. The row is writable, and may be misaligned.
  virtual void take(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) = 0;
  /// Called when prefetched rows that were not used are discarded.
  virtual void invalidatePrefetched(std::uint32_t stream, std::uint32_t replica) = 0;
  /// Receives a whole printed tensor of one replica, in row-major order.
  virtual void print(std::uint32_t tensor, std::uint32_t replica,
                     std::span<const std::byte> row) = 0;
};

/// Returns the bytes of a codelet module, by hash.
using ModuleBytes = std::function<std::span<const std::byte>(const std::string &sha256)>;

/// The program that all replicas load.
struct Program {
  /// The images, shape [ipusPerReplica], none of them null. A load does not copy Image::data;
  /// messages refer to the data until they are sent.
  std::vector<std::shared_ptr<const wire::Image>> images;
  std::uint32_t replicas = 1; ///< number of replicas that this host program runs
  /// For programs shared by several host programs: the number of the first replica here, and the
  /// number of all replicas. All host programs must load equal images; load() waits for all of
  /// them. All other replica numbers in this header count from 0 within this host program.
  std::uint32_t firstReplica = 0, allReplicas = 1;
  bool isShared() const { return allReplicas > replicas; }
  /// The machine model of all replicas, if several host programs share them; otherwise as in
  /// MachineOptions.
  std::string sharedMachineModel;
  std::vector<StreamDescription> streams;
  std::vector<RemoteBufferDescription> remoteBuffers;
  /// Identifies the remote buffers, so that a program which is loaded again finds its own.
  std::uint64_t rows = 0;
  ModuleBytes modules;
  bool prefetch = false; ///< prefetch rows of host-to-device streams
  /// Concurrent calls of the StreamHandler, of different streams; 0: one at a time.
  unsigned callbacksSideBySide = 0;
  /// For each program, the streams that it uses; only these are prefetched for a run. Empty: all
  /// streams.
  std::vector<std::vector<std::uint32_t>> streamsOfPrograms;
  std::chrono::milliseconds callbackTimeout{
      300'000}; ///< longest call of the StreamHandler [wall-clock]; 0: unlimited
  /// The longest wait of an IPU for others [wall-clock]; empty: MachineOptions::syncTimeout.
  std::optional<std::chrono::milliseconds> syncTimeout;
  wire::SyncConfiguration syncConfiguration = wire::SyncConfiguration::IntraReplicaAndAll;
  /// Seed of the order in which the vertices of a tile run; 0: the order of the image.
  std::uint64_t workerSeed = 0;
  /// The host program's clocks are modelled; must be equal in all host programs that share it.
  bool hasModelledClock = false;
};

struct IpuReport {
  wire::Cycles start, end; ///< modelled clock of this IPU
};

struct RunReport {
  std::vector<IpuReport> ipus; ///< shape [ipus]
  wire::Cycles end() const;    ///< returns the latest end
  /// The latest end of the IPUs of all host programs that the run meets; 0 if there are none.
  wire::Cycles endOfAll{};
};

/// Receives the progress of a long call, a few times per second, on the caller's thread or a
/// callback thread. Members may be empty; the IPUs then send no progress.
struct ProgressHandlers {
  std::function<void(std::uint64_t done, std::uint64_t all)> loaded; ///< [bytes], over all IPUs
  std::function<void(const wire::session::Progress &)> ran;          ///< progress of the first IPU
};

/// A partition of IPUs that this host program holds.
///
/// Life: processes that the machine started end when it ends, even after a crash, and leave no
/// files behind. After a failed run(), load() makes the machine usable again; an ipud that died is
/// restarted. Nodes of a cluster are held exclusively from start() to the end. If this process dies
/// without notice, they are free again within heartbeatTimeout plus half a second. A node that died
/// is joined again once it has been restarted.
///
/// Thread: one caller at a time.
class Machine {
public:
  /// Starts or joins the IPUs.
  /// \returns Held if another host program holds one of the nodes, naming it; Disconnected for a
  ///   node that does not answer; NotFound, Timeout, OutOfMemory for processes that cannot be
  ///   started
  static wire::Result<std::unique_ptr<Machine>> start(MachineOptions options);
  virtual ~Machine() = default;

  virtual wire::Status load(Program program, const ProgressHandlers &progress = {}) = 0;

  /// Runs program \p index on all IPUs, and serves their streams through \p handler, until all IPUs
  /// are done, or one has failed and the others were stopped. After a failure, no program is
  /// loaded.
  ///
  /// An exception of the handler is rethrown unchanged; placeOfException() tells its origin. A call
  /// that takes longer than Program::callbackTimeout is abandoned; afterwards it uses only what the
  /// handler itself accesses.
  /// \returns the error of the first IPU that failed, naming it; Disconnected, naming IPU and
  ///   process, for one that died or fell silent
  virtual wire::Result<RunReport> run(std::uint32_t index, StreamHandler &handler,
                                      const ProgressHandlers &progress = {}) = 0;

  /// Returns which call of the handler threw, in the last run() that ended with an exception:
  /// "stream 'in', replica 1 of 2, host transfer 3 of the run (copy 'feed')".
  virtual std::string placeOfException() const = 0;

  /// Discards prefetched rows of \p stream that were not used, and tells \p handler. Call this
  /// before a stream gets another source, and before load(), which discards such rows silently.
  virtual void invalidatePrefetched(std::uint32_t stream, StreamHandler &handler) = 0;

  /// Releases the remote buffers of a program that is gone, unless they are kept by name.
  virtual void endRows(std::uint64_t rows) = 0;

  /// Waits up to a second for a prefetch() that continues after a run.
  /// \returns true if none is left
  virtual bool awaitCalls() = 0;

  /// Reads hostViews[view] of every replica into \p rows, which has `replicas` rows of rowBytes.
  virtual wire::Status read(std::uint32_t view, std::span<std::byte> rows) = 0;
  /// Writes hostViews[view]: one row for all replicas, or one row per replica.
  virtual wire::Status write(std::uint32_t view, std::span<const std::byte> rows) = 0;

  /// Access one row of a remote buffer.
  virtual wire::Status readRow(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                               std::span<std::byte> bytes) = 0;
  virtual wire::Status writeRow(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                                std::span<const std::byte> bytes) = 0;

  /// Returns the traffic of the IPU-Links of every IPU since the load; shape [ipus][its links].
  virtual wire::Result<std::vector<std::vector<wire::session::LinkTraffic>>> links() = 0;

  /// Returns the measured cycles of the IPUs of the first replica, shape [ipusPerReplica], for
  /// vertices that have run since the load.
  virtual wire::Result<std::vector<wire::MeasuredCycles>> vertexCycles() = 0;

  /// Returns the step times of the last run for the IPUs of the first replica, shape
  /// [ipusPerReplica]; empty unless MachineOptions::timesSteps is set.
  virtual wire::Result<std::vector<wire::StepTimes>> stepTimes() = 0;

  /// Unloads the program, repairs parity errors of tile memory, and joins lost nodes of a cluster
  /// again.
  /// \returns the errors of start() for these nodes
  virtual wire::Status unload() = 0;

  /// Injects parity errors into words of tile memory, which last until unload(), or until their
  /// ipud ends.
  /// \returns InvalidOption for an IPU that is not in the partition
  virtual wire::Status injectErrors(std::span<const InjectedError> errors) = 0;

  virtual std::uint32_t ipus() const = 0;
  /// Returns the process ids of the ipuds that this machine started, by IPU; empty for
  /// Transport::Inproc.
  virtual std::vector<int> processes() const = 0;
};

} // namespace copse::session
