#pragma once

#include "fabric/topology.hpp"
#include "wire/ids.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace copse::fabric {

/// One link in one direction, on one of its virtual channels.
struct LinkUse {
  wire::IpuId from, to;
  std::uint8_t channel = 0;
  friend auto operator<=>(const LinkUse &, const LinkUse &) = default;
};

/// The one route between every two IPUs of a partition: across the own rung first, if the
/// destination is on the other side, then up or down that side. On a torus it takes the shorter way
/// round, and up (towards higher numbers) when both are as long.
///
/// Deadlock: packets start on channel 0 and change to channel 1 on the link between the last rung
/// and the first, so that the channels wait for one another in no circle.
///
/// Immutable; a value.
class Router {
public:
  /// \param ipus  at least 1; the modelled clock also routes through partitions of more than kMaxIpus
  Router(wire::Topology topology, std::uint32_t ipus);

  std::uint32_t ipus() const { return ipus_; }

  /// The next link of a packet for \p to that came to \p self on \p channel (0 where it starts). \p
  /// self != \p to.
  LinkUse next(wire::IpuId self, wire::IpuId to, std::uint8_t channel) const;

  /// The links from \p from to \p to, in order; empty if they are the same.
  std::vector<LinkUse> route(wire::IpuId from, wire::IpuId to) const;
  unsigned hops(wire::IpuId from, wire::IpuId to) const;

private:
  wire::IpuId nextRung(wire::IpuId self, wire::IpuId to) const;
  bool crossesDateline(wire::IpuId from, wire::IpuId to) const;

  std::uint32_t ipus_;
  bool closed_;
};

} // namespace copse::fabric
