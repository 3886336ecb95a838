#include "clock/timing_model.hpp"

#include "link_loads.hpp"
#include "rates.hpp"
#include "sent_bytes.hpp"
#include "shares.hpp"

#include "wire/vertex_cycles.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace copse::clock {
namespace {

/// Simulates one tile: its workers, and the supervisor that starts vertices on them one by one.
class TileSchedule {
public:
  TileSchedule(std::uint32_t workers, std::uint32_t vertexCycles)
      : free_(workers, 0), vertexCycles_(vertexCycles) {}

  void reset() {
    std::fill(free_.begin(), free_.end(), 0);
    supervisor_ = 0;
  }
  /// Runs a vertex on the worker that is free first; of several free workers, on the lowest.
  void add(std::uint64_t cycles) {
    auto &worker = *std::min_element(free_.begin(), free_.end());
    worker = start(worker) + cycles;
  }
  /// Runs a vertex that occupies all workers.
  void addOnAll(std::uint64_t cycles) {
    const std::uint64_t end = start(finish()) + cycles;
    std::fill(free_.begin(), free_.end(), end);
  }
  std::uint64_t finish() const { return *std::max_element(free_.begin(), free_.end()); }

private:
  std::uint64_t start(std::uint64_t free) {
    supervisor_ = std::max(supervisor_, free) + vertexCycles_;
    return supervisor_;
  }

  std::vector<std::uint64_t> free_; ///< when each worker is done [modelled cycles]
  std::uint64_t vertexCycles_;
  std::uint64_t supervisor_ = 0;
};

struct TileTraffic {
  std::uint64_t sent = 0, received = 0, toItself = 0; ///< [bytes]
};

std::uint64_t divideUp(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// Returns the number of rungs that a route through all \p members spans. On a torus, the route
/// leaves out the longest stretch without a member.
std::uint32_t spannedRungs(const std::vector<wire::IpuId> &members, wire::Topology topology,
                           std::uint32_t ipus) {
  std::set<std::uint32_t> rungs;
  for (const auto member : members)
    rungs.insert(member.value / 2);
  const std::uint32_t first = *rungs.begin(), last = *rungs.rbegin();
  if (topology == wire::Topology::Mesh)
    return last - first + 1;
  const std::uint32_t all = std::max(ipus / 2, last + 1);
  std::uint32_t gap = first + all - last - 1; // across the joined ends
  std::uint32_t previous = first;
  for (const auto rung : rungs) {
    if (rung > previous)
      gap = std::max(gap, rung - previous - 1);
    previous = rung;
  }
  return all - gap;
}

/// Calls \p f(TileCompute) for each tile of a compute set.
void visitTiles(const MachineModel &machine, const wire::ComputeSet &set,
                const std::vector<wire::CodeletFunction> &functions,
                std::span<const std::uint64_t> cycles, const auto &f) {
  TileSchedule schedule(machine.workers, machine.vertexCycles);
  for (const auto &run : set.tiles) {
    schedule.reset();
    std::uint64_t threadCycles = 0;
    for (std::uint32_t i = run.first; i < run.first + run.count; ++i) {
      if (wire::occupiesAllWorkers(functions[set.vertices[i].function])) {
        schedule.addOnAll(cycles[i]);
        threadCycles += machine.workers * cycles[i];
      } else {
        schedule.add(cycles[i]);
        threadCycles += cycles[i];
      }
    }
    f(TileCompute{run.tile, machine.computeSetCycles + schedule.finish(), threadCycles});
  }
}

/// Calls \p f for each flow of \p exchanges, between all replicas.
void visitFlows(std::span<const wire::Exchange> exchanges, std::uint32_t replicas,
                std::uint32_t ipusPerReplica, const auto &f) {
  for (const wire::Exchange &exchange : exchanges)
    for (std::uint32_t source = 0; source < replicas; ++source) {
      const std::uint32_t target =
          exchange.replicaMap.empty() ? source : exchange.replicaMap[source];
      for (const auto &flow : exchange.flows)
        f(LinkLoads::Flow{{source * ipusPerReplica + flow.from},
                          {target * ipusPerReplica + flow.to},
                          flow.bytes});
    }
}

} // namespace

TimingModel::TimingModel(MachineModel machine, wire::Topology topology, std::uint32_t ipus)
    : machine_(std::move(machine)), topology_(topology), ipus_(ipus) {}

const MachineModel &TimingModel::machine() const { return machine_; }

wire::Cycles TimingModel::computeSet(const wire::ComputeSet &set,
                                     const std::vector<wire::CodeletFunction> &functions) const {
  std::vector<std::uint64_t> cycles;
  for (const auto &vertex : set.vertices)
    cycles.push_back(wire::expectedCycles(vertex.cycles));
  return computeSet(set, functions, cycles);
}

wire::Cycles TimingModel::computeSet(const wire::ComputeSet &set,
                                     const std::vector<wire::CodeletFunction> &functions,
                                     std::span<const std::uint64_t> cycles) const {
  wire::Cycles longest;
  visitTiles(machine_, set, functions, cycles, [&](const TileCompute &tile) {
    longest = std::max(longest, wire::Cycles{tile.cycles});
  });
  return longest;
}

std::vector<TileCompute>
TimingModel::computeSetTiles(const wire::ComputeSet &set,
                             const std::vector<wire::CodeletFunction> &functions,
                             std::span<const std::uint64_t> cycles) const {
  std::vector<TileCompute> tiles;
  tiles.reserve(set.tiles.size());
  visitTiles(machine_, set, functions, cycles,
             [&](const TileCompute &tile) { tiles.push_back(tile); });
  return tiles;
}

wire::Cycles TimingModel::internalExchange(const wire::Exchange &exchange) const {
  wire::Cycles longest;
  for (const TileExchange &tile : internalExchangeTiles(exchange))
    longest = std::max(longest, wire::Cycles{tile.cycles});
  return longest;
}

std::vector<TileExchange> TimingModel::internalExchangeTiles(const wire::Exchange &exchange) const {
  std::unordered_map<std::uint32_t, TileTraffic> tiles;
  for (const auto &move : exchange.moves) {
    const std::uint64_t bytes = std::uint64_t{move.bytes} * move.count;
    if (move.from.tile == move.to.tile) {
      tiles[move.from.tile].toItself += bytes;
    } else {
      tiles[move.to.tile].received += bytes;
    }
  }
  for (const auto &[tile, bytes] : sentBytes(exchange.moves))
    tiles[tile].sent = bytes;
  const std::uint64_t fixed =
      std::uint64_t{machine_.internalSyncCycles} + machine_.exchangeLatencyCycles;
  std::vector<TileExchange> costs;
  costs.reserve(tiles.size());
  for (const auto &[tile, traffic] : tiles)
    costs.push_back(
        {tile,
         fixed +
             divideUp(std::max(traffic.sent, traffic.received), machine_.exchangeBytesPerCycle) +
             divideUp(traffic.toItself, machine_.memcpyBytesPerCycle),
         traffic.sent + traffic.received + traffic.toItself});
  std::ranges::sort(costs, {}, &TileExchange::tile);
  return costs;
}

wire::Cycles TimingModel::externalExchange(std::span<const wire::Exchange> exchanges,
                                           std::uint32_t self, std::uint32_t replica,
                                           std::uint32_t replicas,
                                           std::uint32_t ipusPerReplica) const {
  LinkLoads loads(machine_, topology_, std::max(ipus_, replicas * ipusPerReplica));
  std::vector<LinkLoads::Flow> own;
  const wire::IpuId here{replica * ipusPerReplica + self};
  visitFlows(exchanges, replicas, ipusPerReplica, [&](const LinkLoads::Flow &flow) {
    loads.add(flow);
    if (flow.from == here || flow.to == here)
      own.push_back(flow);
  });
  wire::Cycles last;
  for (const auto &flow : own)
    last = std::max(last, loads.time(flow));
  return last;
}

std::vector<wire::Cycles> TimingModel::externalExchanges(std::span<const wire::Exchange> exchanges,
                                                         std::uint32_t replicas,
                                                         std::uint32_t ipusPerReplica) const {
  LinkLoads loads(machine_, topology_, std::max(ipus_, replicas * ipusPerReplica));
  visitFlows(exchanges, replicas, ipusPerReplica,
             [&](const LinkLoads::Flow &flow) { loads.add(flow); });
  std::vector<wire::Cycles> last(std::size_t{replicas} * ipusPerReplica);
  visitFlows(exchanges, replicas, ipusPerReplica, [&](const LinkLoads::Flow &flow) {
    const wire::Cycles time = loads.time(flow);
    for (const wire::IpuId end : {flow.from, flow.to})
      last[end.value] = std::max(last[end.value], time);
  });
  return last;
}

std::vector<LinkBytes> TimingModel::linkBytes(std::span<const wire::Exchange> exchanges,
                                              std::uint32_t replicas,
                                              std::uint32_t ipusPerReplica) const {
  const LinkLoads loads(machine_, topology_, std::max(ipus_, replicas * ipusPerReplica));
  std::map<std::pair<wire::IpuId, wire::IpuId>, std::uint64_t> bytes;
  visitFlows(exchanges, replicas, ipusPerReplica, [&](const LinkLoads::Flow &flow) {
    loads.visitLinks(flow, [&](const fabric::LinkUse &link) {
      bytes[{link.from, link.to}] += flow.bytes;
    });
  });
  std::vector<LinkBytes> links;
  for (const auto &[ends, carried] : bytes)
    links.push_back({ends.first, ends.second, carried});
  return links;
}

std::vector<std::uint64_t> trafficOf(std::span<const wire::Exchange> exchanges) {
  std::vector<std::uint64_t> key;
  for (const wire::Exchange &exchange : exchanges) {
    if (exchange.flows.empty())
      continue;
    key.push_back(exchange.replicaMap.size());
    key.insert(key.end(), exchange.replicaMap.begin(), exchange.replicaMap.end());
    key.push_back(exchange.flows.size());
    for (const wire::Flow &flow : exchange.flows)
      key.insert(key.end(), {flow.from, flow.to, flow.bytes});
  }
  return key;
}

wire::Cycles TimingModel::syncLatency(const std::vector<wire::IpuId> &members) const {
  if (members.size() < 2)
    return {};
  const std::uint32_t domain = machine_.domainOf(ipus_);
  std::vector<wire::IpuId> places; // position of each member in its domain
  std::set<std::uint32_t> domains;
  for (const wire::IpuId member : members) {
    places.push_back({member.value % domain});
    domains.insert(member.value / domain);
  }
  const std::uint64_t hops = 1 + spannedRungs(places, topology_, domain) / 2;
  wire::Cycles latency = wire::Cycles{machine_.globalSyncCycles} +
                         cyclesOfSeconds(machine_.syncHopSeconds, 2 * hops, machine_.tileClockHz);
  if (domains.size() > 1) {
    const std::uint64_t farthest =
        machine_.pod->gatewayLinks == GatewayLinks::Looped ? domains.size() / 2 : 1;
    latency +=
        cyclesOfSeconds(machine_.pod->gatewaySyncSeconds, 2 * farthest, machine_.tileClockHz);
  }
  return latency;
}

HostLoad TimingModel::hostLoad(std::uint64_t own, std::uint64_t replicaBytes,
                               const IpuPlace &place) const {
  // Returns the bytes of the aligned group of `size` IPUs around this IPU, as far as those belong
  // to the partition.
  const auto around = [&](std::uint32_t size) {
    const std::uint32_t first = place.ipu() / size * size;
    const std::uint32_t ipus = std::min(size, place.ipus() - first);
    return std::max(own, shareOf(replicaBytes, ipus, place.ipusPerReplica));
  };
  if (!machine_.pod)
    return {own, own, around(place.ipus())};
  return {own, around(machine_.pod->ipusPerMachine), around(machine_.pod->ipusPerHost())};
}

wire::Cycles TimingModel::hostTransfer(wire::Direction direction, const HostLoad &load,
                                       bool waited) const {
  const double own = direction == wire::Direction::ToDevice ? machine_.hostToIpuBytesPerSecond
                                                            : machine_.ipuToHostBytesPerSecond;
  wire::Cycles cycles =
      std::max(cyclesOfBytes(load.own, own, machine_.tileClockHz),
               cyclesOfBytes(load.host, machine_.hostSharedBytesPerSecond, machine_.tileClockHz));
  if (machine_.pod)
    cycles = std::max(cycles, cyclesOfBytes(load.machine, machine_.pod->machineBytesPerSecond,
                                            machine_.tileClockHz));
  if (waited)
    cycles += cyclesOfSeconds(machine_.hostCallbackSeconds, 1, machine_.tileClockHz);
  return cycles;
}

wire::Cycles TimingModel::hostExchangeLatency() const {
  return cyclesOfSeconds(machine_.hostSyncSeconds, 1, machine_.tileClockHz);
}

wire::Cycles TimingModel::remoteCopy(const HostLoad &load) const {
  wire::Cycles cycles =
      cyclesOfBytes(load.own, machine_.remoteBytesPerSecond, machine_.tileClockHz);
  if (machine_.pod)
    cycles = std::max(cycles, cyclesOfBytes(load.machine, machine_.pod->memoryBytesPerSecond,
                                            machine_.tileClockHz));
  return cycles + cyclesOfSeconds(machine_.remoteLatencySeconds, 1, machine_.tileClockHz);
}

double TimingModel::seconds(wire::Cycles cycles) const {
  return static_cast<double>(cycles.value) / machine_.tileClockHz;
}

} // namespace copse::clock
