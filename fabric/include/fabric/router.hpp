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

/// The one route between every two IPUs of a partition: through gateways first, if the destination
/// is in another domain, to the IPU in the same place there; then across the own rung, if the
/// destination is on the other side, then up or down that side. On a torus, and in a loop of
/// domains, it takes the shorter direction, and up (towards higher numbers) if both are equally
/// long.
///
/// Deadlock: packets start on channel 0 and change to channel 1 on the link between the last rung
/// and the first, so that channels never wait for one another in a circle. The same holds for the
/// gateways between the last domain and the first. Behind the gateways a packet starts again on
/// channel 0, and no channel of a ladder waits for one of a gateway.
///
/// Immutable; a value.
class Router {
public:
  /// \param wiring  at least 1 IPU; the modelled clock also routes through partitions of more
  ///                than kMaxIpus
  explicit Router(const Wiring &wiring);

  const Wiring &wiring() const { return wiring_; }
  std::uint32_t ipus() const { return wiring_.ipus; }

  /// Returns the beginning of a route from \p self, for next().
  static LinkUse start(wire::IpuId self) { return {self, self, 0}; }
  /// Returns the next link of a packet for \p to that came over \p came. \p came.to != \p to.
  LinkUse next(const LinkUse &came, wire::IpuId to) const;

  /// Returns the links from \p from to \p to, in order; empty if they are the same.
  std::vector<LinkUse> route(wire::IpuId from, wire::IpuId to) const;
  unsigned hops(wire::IpuId from, wire::IpuId to) const;

private:
  LinkUse throughGateways(const LinkUse &came, std::uint32_t to) const;

  Wiring wiring_;
  std::uint32_t domains_;
};

} // namespace copse::fabric
