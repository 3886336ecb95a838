#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <poplar/Target.hpp>
#include <utility>
#include <vector>

namespace gcl {

/// Cycles of what collectives are made of. Sources: Target's figures where it has them; the rest is
/// Graphcore's published figures, the same as in Copse's machine models (configs/).
struct FabricModel {
  double clockHz = 1.33e9;
  unsigned workers = 6;
  unsigned computeSetCycles = 31; ///< entering and leaving, starting one vertex
  unsigned exchangeCycles = 190;  ///< on-chip, without the bytes
  unsigned memcpyBytesPerCycle = 8;
  double linkBytesPerSecond = 0;     ///< one direction between two rungs
  double rungBytesPerSecond = 0;     ///< inside a pair, for the pair's own traffic
  double crossingBytesPerSecond = 0; ///< inside a pair, for traffic that goes on
  unsigned hopCycles = 266;
  unsigned globalSyncCycles = 560; ///< without the time on the wire
  double syncHopSeconds = 15e-9;   ///< one way
  bool torus = false;
  unsigned ipus = 1; ///< of the partition
  /// IPUs that IPU-Links alone join; 0: all. Domains are joined by the gateways of their machines:
  /// up to four in a loop, more through switches.
  unsigned domain = 0;
  unsigned ipusPerMachine = 4;
  double ipuToGatewayBytesPerSecond = 0, gatewayToIpuBytesPerSecond = 0; ///< of one IPU
  double gatewayBytesPerSecond = 0; ///< of all GW-Links of a machine, one direction
  unsigned gatewayHopCycles = 0;
  double gatewaySyncSeconds = 0; ///< one way

  /// \param ipus  of all replicas
  static FabricModel of(const poplar::Target &target, unsigned ipus);

  unsigned domainSize() const { return domain == 0 ? ipus : std::min(domain, ipus); }
  unsigned domains() const { return (ipus + domainSize() - 1) / domainSize(); }
  bool looped() const { return domains() <= 4; }
  std::uint64_t syncCycles() const;
  std::uint64_t computeCycles(std::uint64_t instructionsOfOneWorker) const {
    return computeSetCycles + instructionsOfOneWorker * workers;
  }
};

/// Messages between IPUs at the same time. Their routes are those of Copse's fabric: across the
/// own rung first, then up or down; to another domain, by the gateway of the own machine into the IPU
/// in the same place there, and on. A route is a few stretches, so a message costs the same effort
/// however far it goes.
class Traffic {
public:
  explicit Traffic(const FabricModel &model);
  void add(unsigned from, unsigned to, std::uint64_t bytes);
  /// Until the last message has arrived.
  std::uint64_t cycles() const;
  /// Bytes on the link and direction with most, whatever its bandwidth.
  std::uint64_t busiestBytes() const;

private:
  /// Ways out of an IPU. Inside a pair, traffic that goes on has a share of its own.
  enum Way : unsigned { Rung, Crossing, Up, Down };
  static constexpr unsigned kWays = 4, kLanes = 2 * kWays;

  /// Calls \p visit(side, way, first, end) for each stretch of a route: hops by \p way out of the
  /// IPUs on \p side of the rungs [first, end).
  template <typename Visit>
  void forEachStretch(unsigned from, unsigned to, const Visit &visit) const;
  template <typename Visit>
  void forEachRun(unsigned side, unsigned rung, unsigned to, const Visit &visit) const;
  /// Returns where a message enters the domain that it goes to; where it starts if it stays.
  unsigned entryOf(unsigned from, unsigned to) const;
  unsigned counterpartOf(unsigned ipu, unsigned domain) const;
  /// Calls \p visit(lane, number) for each hop from a domain to another.
  template <typename Visit>
  void forEachGatewayHop(unsigned from, unsigned entry, const Visit &visit) const;
  double gatewayBandwidth(unsigned lane) const;
  std::int64_t &changeAt(unsigned side, Way way, unsigned rung);
  std::vector<std::uint64_t> bytesOf(unsigned side, Way way) const;
  double bandwidth(Way way) const;

  const FabricModel &model_;
  unsigned rungs_;
  /// By which the bytes on a lane change from the rung before to a rung, shape [sides][ways][rungs + 1].
  std::vector<std::int64_t> changes_;
  /// Ways between domains: of each IPU to its gateway and from it, of each machine to two sides.
  enum GatewayLane : unsigned { ToGateway, FromGateway, GatewayUp, GatewayDown };
  static constexpr unsigned kGatewayLanes = 4;
  std::vector<std::uint64_t> gatewayBytes_; ///< shape [lanes][ipus]; empty: there is one domain
  std::vector<std::pair<unsigned, unsigned>> messages_;
};

} // namespace gcl
