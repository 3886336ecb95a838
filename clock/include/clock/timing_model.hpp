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

/// The constants of the modelled clock. One file of configs/ fills one of these; each entry there
/// cites its source.
struct MachineModel {
  std::string name; ///< "gc200", ...
  double tileClockHz = 0;
  // compute
  std::uint32_t workers = 6;          ///< issue slots: a worker issues every `workers` tile cycles
  std::uint32_t computeSetCycles = 0; ///< supervisor: entering and leaving a compute set
  std::uint32_t vertexCycles = 0;     ///< supervisor: starting one vertex
  // on-chip exchange and sync
  std::uint32_t internalSyncCycles = 0;
  std::uint32_t exchangeLatencyCycles = 0;
  std::uint32_t exchangeBytesPerCycle = 4; ///< of one tile, receive or send
  std::uint32_t memcpyBytesPerCycle = 8;   ///< of one tile, to itself
  // IPU-Links: bandwidths of one direction between two neighbours
  double rungBytesPerSecond = 0;     ///< inside a pair, for the pair's own traffic
  double crossingBytesPerSecond = 0; ///< inside a pair, for traffic that goes on up or down
  double ladderBytesPerSecond = 0;   ///< from one rung to the next
  std::uint32_t hopLatencyCycles = 0;
  // sync between IPUs
  std::uint32_t globalSyncCycles = 0; ///< fixed part
  double syncHopSeconds = 0;          ///< per hop, one way
  // host path, shared by the IPUs of a host
  double hostToIpuBytesPerSecond = 0, ipuToHostBytesPerSecond = 0; ///< of one IPU
  double hostSharedBytesPerSecond = 0; ///< of all IPUs together, each direction
  double hostSyncSeconds = 0;          ///< fixed cost of one host exchange
  double hostCallbackSeconds = 0;      ///< a callback that had to be waited for
  double hostRunSeconds = 0;           ///< what a run costs the host, beside the time of the device
  double remoteBytesPerSecond = 0, remoteLatencySeconds = 0; ///< remote buffers, of one IPU
  /// The system that the IPUs are part of; none: one ladder, however long, and one host.
  std::optional<Pod> pod;

  /// Returns the number of IPUs that IPU-Links alone join, of a partition of \p ipus.
  std::uint32_t domainOf(std::uint32_t ipus) const {
    return pod ? std::min(pod->ipusPerDomain, ipus) : ipus;
  }
};

/// Reads a model from JSON text: "name", and one object {"value": ..., "unit": ..., "source": ...}
/// per constant, as the files of configs/ have them; and "pod", the object that completePod() returns.
/// \returns InvalidOption naming the line, and the key that is missing, unknown or wrong
wire::Result<MachineModel> parseMachineModel(const std::string &json);

/// A tile's part in a compute set.
struct TileCompute {
  std::uint32_t tile = 0;
  std::uint64_t cycles = 0; ///< of the tile, from the start of the compute set to its last vertex
  std::uint64_t threadCycles = 0; ///< of all workers together; the others are idle
};

/// A tile's part in the on-chip part of an exchange.
struct TileExchange {
  std::uint32_t tile = 0;
  std::uint64_t cycles = 0; ///< with sync and latency
  std::uint64_t bytes = 0;  ///< sent, received, and copied on the tile itself
};

/// Bytes that an IPU-Link carries in one direction, between two IPUs of a partition.
struct LinkBytes {
  wire::IpuId from, to;
  std::uint64_t bytes = 0;
  friend bool operator==(const LinkBytes &, const LinkBytes &) = default;
};

/// An IPU among those that run the same program.
struct IpuPlace {
  std::uint32_t number = 0; ///< within its replica
  std::uint32_t replica = 0, replicas = 1, ipusPerReplica = 1;
  std::uint32_t ipu() const { return replica * ipusPerReplica + number; }
  std::uint32_t ipus() const { return replicas * ipusPerReplica; }
};

/// Bytes that travel to hosts, or from them, at the same time: see TimingModel::hostLoad().
struct HostLoad {
  std::uint64_t own = 0;     ///< of one IPU
  std::uint64_t machine = 0; ///< of all IPUs of its machine
  std::uint64_t host = 0;    ///< of all IPUs of its host
};

/// All that the load on the links depends on: equal for exchanges whose external parts take the same.
std::vector<std::uint64_t> trafficOf(std::span<const wire::Exchange> exchanges);

/// The modelled clock: how long each kind of step takes. Pure functions of a MachineModel and a
/// partition, in integer arithmetic, so the result depends on neither transports nor threads nor
/// load. Documented in docs/timing-model.md.
///
/// Thread: immutable, any.
class TimingModel {
public:
  TimingModel(MachineModel machine, wire::Topology topology, std::uint32_t ipus);

  const MachineModel &machine() const;

  /// One compute set on one IPU: the time of its busiest tile. Vertices of a tile are dealt to the
  /// workers in order; a MultiVertex occupies all of them.
  wire::Cycles computeSet(const wire::ComputeSet &set,
                          const std::vector<wire::CodeletFunction> &functions) const;
  /// Likewise with the cycles that each vertex took, where they were counted. A function of the
  /// supervisor occupies all workers. Shape of \p cycles: [set.vertices]
  wire::Cycles computeSet(const wire::ComputeSet &set,
                          const std::vector<wire::CodeletFunction> &functions,
                          std::span<const std::uint64_t> cycles) const;

  /// The same for each tile by itself, ascending: the compute set takes as long as the longest.
  std::vector<TileCompute> computeSetTiles(const wire::ComputeSet &set,
                                           const std::vector<wire::CodeletFunction> &functions,
                                           std::span<const std::uint64_t> cycles) const;

  /// The on-chip part of an exchange: 0 if there are no moves, else sync and latency and the
  /// busiest tile's bytes.
  wire::Cycles internalExchange(const wire::Exchange &exchange) const;

  /// The same for each tile by itself, ascending.
  std::vector<TileExchange> internalExchangeTiles(const wire::Exchange &exchange) const;

  /// The external part of exchanges that run as one, on IPU \p self of replica \p replica: every
  /// replica does the same step at the same time, all flows share the links on their routes, and an
  /// IPU is done when the last flow it sends or receives is.
  wire::Cycles externalExchange(std::span<const wire::Exchange> exchanges, std::uint32_t self,
                                std::uint32_t replica, std::uint32_t replicas,
                                std::uint32_t ipusPerReplica) const;
  wire::Cycles externalExchange(const wire::Exchange &exchange, std::uint32_t self,
                                std::uint32_t replica, std::uint32_t replicas,
                                std::uint32_t ipusPerReplica) const {
    return externalExchange({&exchange, 1}, self, replica, replicas, ipusPerReplica);
  }
  /// The same on every IPU of the partition, shape [replicas * ipusPerReplica]: the loads of the
  /// links are added up once for all.
  std::vector<wire::Cycles> externalExchanges(std::span<const wire::Exchange> exchanges,
                                              std::uint32_t replicas,
                                              std::uint32_t ipusPerReplica) const;

  /// The load of each link in these exchanges, ascending by ends; without idle links.
  std::vector<LinkBytes> linkBytes(std::span<const wire::Exchange> exchanges,
                                   std::uint32_t replicas, std::uint32_t ipusPerReplica) const;

  /// Latency of one sync point of a group of \p members IPUs, of the partition's topology. 0 for a
  /// group of one.
  wire::Cycles syncLatency(const std::vector<wire::IpuId> &members) const;

  /// What an IPU that moves \p own bytes and those with which it shares machine and host move, when
  /// the IPUs of each replica move \p replicaBytes. Exact where machine and host serve whole
  /// replicas; else IPUs that are not known count as much as the average.
  HostLoad hostLoad(std::uint64_t own, std::uint64_t replicaBytes, const IpuPlace &place) const;
  /// A host transfer. \p waited: the host filled the buffer only when asked.
  wire::Cycles hostTransfer(wire::Direction direction, const HostLoad &load, bool waited) const;
  /// The fixed cost of one host exchange, whatever it moves.
  wire::Cycles hostExchangeLatency() const;

  /// A copy between tiles and remote buffers.
  wire::Cycles remoteCopy(const HostLoad &load) const;

  double seconds(wire::Cycles cycles) const; ///< modelled seconds

private:
  MachineModel machine_;
  wire::Topology topology_;
  std::uint32_t ipus_;
};

} // namespace copse::clock
