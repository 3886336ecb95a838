#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <poplar/Target.hpp>
#include <utility>
#include <vector>

namespace gcl {

/// The cycles of the parts of collectives. Values come from Target where it has them, and otherwise
/// from Graphcore's published figures, as in Copse's machine models (configs/).
struct FabricModel {
  double clockHz = 1.33e9;
  unsigned workers = 6;
  unsigned computeSetCycles = 31; ///< entering and leaving, and starting one vertex
  unsigned exchangeCycles = 190;  ///< on-chip, without the bytes
  unsigned memcpyBytesPerCycle = 8;
  double linkBytesPerSecond = 0;     ///< one direction between two rungs
  double rungBytesPerSecond = 0;     ///< inside a pair, for the pair's own traffic
  double crossingBytesPerSecond = 0; ///< inside a pair, for traffic that goes on
  unsigned hopCycles = 266;
  unsigned globalSyncCycles = 560; ///< without the time on the wire
  double syncHopSeconds = 15e-9;   ///< one way
  bool torus = false;
  unsigned ipus = 1; ///< number of IPUs in the partition
  /// Number of IPUs in a domain, which IPU-Links alone join; 0: all. The gateways of machines join
  /// domains: up to four in a loop, more through switches.
  unsigned domain = 0;
  unsigned ipusPerMachine = 4;
  double ipuToGatewayBytesPerSecond = 0, gatewayToIpuBytesPerSecond = 0; ///< rates of one IPU
  double gatewayBytesPerSecond = 0; ///< all GW-Links of a machine, one direction
  unsigned gatewayHopCycles = 0;
  double gatewaySyncSeconds = 0; ///< one way

  /// \param ipus  number of IPUs of all replicas
  static FabricModel of(const poplar::Target &target, unsigned ipus);

  unsigned domainSize() const { return domain == 0 ? ipus : std::min(domain, ipus); }
  unsigned domains() const { return (ipus + domainSize() - 1) / domainSize(); }
  bool looped() const { return domains() <= 4; }
  std::uint64_t syncCycles() const;
  std::uint64_t computeCycles(std::uint64_t instructionsOfOneWorker) const {
    return computeSetCycles + instructionsOfOneWorker * workers;
  }
};

/// Computes the time of simultaneous messages between IPUs. Routes are as in Copse's fabric: first
/// across the own rung, then up or down. A message to another domain goes through the own machine's
/// gateway to the corresponding IPU there, and on. A route is a few stretches, so that a message
/// costs constant effort, however far it goes.
class Traffic {
public:
  explicit Traffic(const FabricModel &model);
  void add(unsigned from, unsigned to, std::uint64_t bytes);
  /// Returns the cycles until the last message has arrived.
  std::uint64_t cycles() const;
  /// Returns the bytes on the busiest direction of a link, regardless of its bandwidth.
  std::uint64_t busiestBytes() const;

private:
  /// Directions out of an IPU. Inside a pair, traffic that goes on to other rungs has its own share
  /// of the links.
  enum Direction : unsigned { Rung, Crossing, Up, Down };
  static constexpr unsigned kDirections = 4, kLanes = 2 * kDirections;

  /// Calls \p visit(side, direction, first, end) for each stretch of a route. A stretch is hops in
  /// \p direction out of the IPUs on \p side of the rungs [first, end).
  template <typename Visit>
  void forEachStretch(unsigned from, unsigned to, const Visit &visit) const;
  template <typename Visit>
  void forEachRun(unsigned side, unsigned rung, unsigned to, const Visit &visit) const;
  /// Returns the IPU where a message enters its destination's domain. A message that stays in its
  /// domain enters at its sender.
  unsigned entryOf(unsigned from, unsigned to) const;
  unsigned counterpartOf(unsigned ipu, unsigned domain) const;
  /// Calls \p visit(lane, number) for each hop from one domain to another.
  template <typename Visit>
  void forEachGatewayHop(unsigned from, unsigned entry, const Visit &visit) const;
  double gatewayBandwidth(unsigned lane) const;
  std::int64_t &changeAt(unsigned side, Direction direction, unsigned rung);
  std::vector<std::uint64_t> bytesOf(unsigned side, Direction direction) const;
  double bandwidth(Direction direction) const;

  const FabricModel &model_;
  unsigned rungs_;
  /// Differences between the bytes of a lane at a rung and at the rung before, shape
  /// [sides][directions][rungs + 1].
  std::vector<std::int64_t> changes_;
  /// Lanes between domains: from each IPU to its gateway and back, and from each machine to two
  /// sides.
  enum GatewayLane : unsigned { ToGateway, FromGateway, GatewayUp, GatewayDown };
  static constexpr unsigned kGatewayLanes = 4;
  std::vector<std::uint64_t> gatewayBytes_; ///< shape [lanes][ipus]; empty if there is one domain
  std::vector<std::pair<unsigned, unsigned>> messages_;
};

} // namespace gcl
