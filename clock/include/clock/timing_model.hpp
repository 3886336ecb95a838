#pragma once

#include "clock/pod.hpp"

#include "wire/ids.hpp"
#include "wire/image.hpp"
#include "wire/result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace copse::clock {

/// The constants of the modelled clock. Each file of configs/ fills one MachineModel and cites a
/// source for each entry.
struct MachineModel {
  std::string name; ///< "gc200", ...
  double tileClockHz = 0;
  // compute
  /// Issue slots: a worker issues one instruction every `workers` tile cycles.
  std::uint32_t workers = 6;
  std::uint32_t computeSetCycles = 0; ///< supervisor: entering and leaving a compute set
  std::uint32_t vertexCycles = 0;     ///< supervisor: starting one vertex
  // on-chip exchange and sync
  std::uint32_t internalSyncCycles = 0;
  std::uint32_t exchangeLatencyCycles = 0;
  std::uint32_t exchangeBytesPerCycle = 4; ///< per tile, received or sent
  std::uint32_t memcpyBytesPerCycle = 8;   ///< per tile, copied within its own memory
  // IPU-Links: bandwidth in one direction between two neighbours
  double rungBytesPerSecond = 0; ///< between the IPUs of a pair, for their own traffic
  /// Between the IPUs of a pair, for traffic that continues to another rung.
  double crossingBytesPerSecond = 0;
  double ladderBytesPerSecond = 0; ///< from one rung to the next
  std::uint32_t hopLatencyCycles = 0;
  // sync between IPUs
  std::uint32_t globalSyncCycles = 0; ///< fixed part
  double syncHopSeconds = 0;          ///< per hop, one way
  // the path to the host, which the IPUs of a host share
  double hostToIpuBytesPerSecond = 0, ipuToHostBytesPerSecond = 0; ///< per IPU
  double hostSharedBytesPerSecond = 0; ///< all IPUs together, each direction
  double hostSyncSeconds = 0;          ///< fixed cost of one host exchange
  double hostCallbackSeconds = 0;      ///< extra cost if the IPU has to wait for a callback
  double hostRunSeconds = 0;           ///< host time of a run, in addition to the device's time
  double remoteBytesPerSecond = 0, remoteLatencySeconds = 0; ///< per IPU
  /// The system that the IPUs are part of. Without one, all IPUs are on one ladder and one host.
  std::optional<Pod> pod;

  /// Returns the number of IPUs in an IPU-Link domain of a partition of \p ipus IPUs.
  std::uint32_t domainOf(std::uint32_t ipus) const {
    return pod ? std::min(pod->ipusPerDomain, ipus) : ipus;
  }
};

/// Reads a model from JSON text that has the format of the files of configs/: the entry "name", one
/// object {"value": ..., "unit": ..., "source": ...} per constant, and optionally "pod", the object
/// that completePod() returned.
/// \returns InvalidOption naming the line, and the key that is missing, unknown or wrong
wire::Result<MachineModel> parseMachineModel(const std::string &json);

/// A tile's share of a compute set.
struct TileCompute {
  std::uint32_t tile = 0;
  std::uint64_t cycles = 0;       ///< from the start of the compute set to the tile's last vertex
  std::uint64_t threadCycles = 0; ///< sum over all workers, without their idle time
};

/// A tile's share of the on-chip part of an exchange.
struct TileExchange {
  std::uint32_t tile = 0;
  std::uint64_t cycles = 0; ///< including sync and latency
  std::uint64_t bytes = 0;  ///< sent, received, and copied within the tile
};

/// The bytes that an IPU-Link carries in one direction, between two IPUs of a partition.
struct LinkBytes {
  wire::IpuId from, to;
  std::uint64_t bytes = 0;
  friend bool operator==(const LinkBytes &, const LinkBytes &) = default;
};

/// An IPU's position among all IPUs that run one program.
struct IpuPlace {
  std::uint32_t number = 0; ///< within its replica
  std::uint32_t replica = 0, replicas = 1, ipusPerReplica = 1;
  std::uint32_t ipu() const { return replica * ipusPerReplica + number; }
  std::uint32_t ipus() const { return replicas * ipusPerReplica; }
};

/// The bytes that share the paths between IPUs and hosts in one direction at one time.
/// TimingModel::hostLoad() computes them.
struct HostLoad {
  std::uint64_t own = 0;     ///< bytes of this IPU
  std::uint64_t machine = 0; ///< bytes of all IPUs of its machine
  std::uint64_t host = 0;    ///< bytes of all IPUs of its host
};

/// Returns a key of everything that the load on the links depends on. Exchanges with equal keys
/// have external parts that take equally long.
std::vector<std::uint64_t> trafficOf(std::span<const wire::Exchange> exchanges);

/// Answers how long each kind of step takes. The functions depend only on a MachineModel and a
/// partition, and use integer arithmetic, so results depend neither on transports nor on threads
/// nor on the load of the computer. docs/timing-model.md documents the model.
///
/// Thread: immutable; any thread may call.
class TimingModel {
public:
  TimingModel(MachineModel machine, wire::Topology topology, std::uint32_t ipus);

  const MachineModel &machine() const;

  /// Returns the time of a compute set on one IPU, which is the time of its busiest tile. The
  /// vertices of a tile are assigned to the workers in order; a MultiVertex occupies all workers.
  wire::Cycles computeSet(const wire::ComputeSet &set,
                          const std::vector<wire::CodeletFunction> &functions) const;
  /// Returns the time of a compute set from measured cycles instead of estimates. A function of the
  /// supervisor occupies all workers.
  /// \param cycles  that each vertex took, shape [set.vertices]; empty if they were not counted
  wire::Cycles computeSet(const wire::ComputeSet &set,
                          const std::vector<wire::CodeletFunction> &functions,
                          std::span<const std::uint64_t> cycles) const;

  /// Returns the time of each tile, in ascending order of tiles. The longest is the time of the
  /// compute set.
  std::vector<TileCompute> computeSetTiles(const wire::ComputeSet &set,
                                           const std::vector<wire::CodeletFunction> &functions,
                                           std::span<const std::uint64_t> cycles) const;

  /// Returns the time of the on-chip part of an exchange: 0 if there are no moves, else sync,
  /// latency and the transfer time of the busiest tile.
  wire::Cycles internalExchange(const wire::Exchange &exchange) const;

  /// Returns the time of each tile in the on-chip part of an exchange, in ascending order of tiles.
  std::vector<TileExchange> internalExchangeTiles(const wire::Exchange &exchange) const;

  /// Returns the time that the external part of \p exchanges, which run as one, takes on IPU \p
  /// self of replica \p replica. Every replica does this step at the same time, all flows share the
  /// links on their routes, and an IPU is done when the last flow that it sends or receives is
  /// done.
  wire::Cycles externalExchange(std::span<const wire::Exchange> exchanges, std::uint32_t self,
                                std::uint32_t replica, std::uint32_t replicas,
                                std::uint32_t ipusPerReplica) const;
  wire::Cycles externalExchange(const wire::Exchange &exchange, std::uint32_t self,
                                std::uint32_t replica, std::uint32_t replicas,
                                std::uint32_t ipusPerReplica) const {
    return externalExchange({&exchange, 1}, self, replica, replicas, ipusPerReplica);
  }
  /// Returns the time of the external part on every IPU of the partition, shape [replicas *
  /// ipusPerReplica]. Faster than one externalExchange() per IPU, as the load of the links is
  /// computed once.
  std::vector<wire::Cycles> externalExchanges(std::span<const wire::Exchange> exchanges,
                                              std::uint32_t replicas,
                                              std::uint32_t ipusPerReplica) const;

  /// Returns the load of each link in \p exchanges, ascending by the link's ends and without idle
  /// links.
  std::vector<LinkBytes> linkBytes(std::span<const wire::Exchange> exchanges,
                                   std::uint32_t replicas, std::uint32_t ipusPerReplica) const;

  /// Returns the latency of one sync point of a group of \p members IPUs on the partition's
  /// topology; 0 for a group of one.
  wire::Cycles syncLatency(const std::vector<wire::IpuId> &members) const;

  /// Returns the load that an IPU which moves \p own bytes shares with the other IPUs of its
  /// machine and host, if the IPUs of each replica together move \p replicaBytes. The result is
  /// exact if machine and host serve whole replicas; otherwise IPUs whose bytes are unknown count
  /// as much as the average.
  HostLoad hostLoad(std::uint64_t own, std::uint64_t replicaBytes, const IpuPlace &place) const;
  /// Returns the time of a transfer between a host and an IPU.
  /// \param waited  the host filled the buffer only on request, so the IPU waited for the callback
  wire::Cycles hostTransfer(wire::Direction direction, const HostLoad &load, bool waited) const;
  /// Returns the fixed cost of one host exchange, however much it moves.
  wire::Cycles hostExchangeLatency() const;

  /// Returns the time of a copy between tiles and remote buffers.
  wire::Cycles remoteCopy(const HostLoad &load) const;

  /// Returns \p cycles in modelled seconds.
  double seconds(wire::Cycles cycles) const;

private:
  MachineModel machine_;
  wire::Topology topology_;
  std::uint32_t ipus_;
};

} // namespace copse::clock
