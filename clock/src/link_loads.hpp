#pragma once

#include "clock/timing_model.hpp"

#include "fabric/router.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace copse::clock {

/// The bytes that each link carries in one exchange, and how long a flow takes among them. A flow to
/// another domain goes to its machine's gateway, over GW-Links to the machine in the same place of
/// that domain, into the IPU in the same place, and on by IPU-Links.
class LinkLoads {
public:
  struct Flow {
    wire::IpuId from, to; ///< numbers within the partition
    std::uint64_t bytes = 0;
  };

  LinkLoads(const MachineModel &machine, wire::Topology topology, std::uint32_t ipus);

  void add(const Flow &flow);
  /// After all flows were added: as long as its most loaded link takes for all its traffic, plus
  /// the hops.
  wire::Cycles time(const Flow &flow) const;
  /// Calls \p f for each IPU-Link on the route of \p flow.
  void visitLinks(const Flow &flow, const auto &f) const {
    const wire::IpuId entry = entryOf(flow);
    const std::uint32_t domain = flow.to.value / domain_, first = domain * domain_;
    const fabric::Router &router = domain < ipus_ / domain_ ? router_ : lastRouter_;
    const wire::IpuId to{flow.to.value - first};
    fabric::LinkUse hop{entry, {entry.value - first}, 0};
    while (hop.to != to) {
      hop = router.next(hop.to, to, hop.channel);
      f(fabric::LinkUse{{first + hop.from.value}, {first + hop.to.value}, hop.channel});
    }
  }

private:
  /// Each has a bandwidth of its own: of each IPU, a direction to a neighbour, inside a pair one
  /// share for the pair's own traffic and one for traffic that goes on, and both ways between IPU and
  /// gateway; of each machine's gateway, the two ways to other gateways.
  enum class Lane : std::uint8_t {
    Up,
    Down,
    Rung,
    Crossing,
    ToGateway,
    FromGateway,
    GatewayUp,  ///< looped: to the next domain; switched: to the switch
    GatewayDown ///< looped: to the domain before; switched: from the switch
  };
  static constexpr std::size_t kLanes = 8;

  static Lane laneOf(const fabric::LinkUse &link, bool inPair);
  double bandwidth(Lane lane) const;
  /// Returns the IPU at which \p flow enters the domain that it goes to; where it starts if it stays.
  wire::IpuId entryOf(const Flow &flow) const;
  /// Returns the IPU of \p domain in the same place as \p ipu of another: of a smaller one, the
  /// places repeat.
  wire::IpuId counterpartOf(wire::IpuId ipu, std::uint32_t domain) const;
  /// Returns the first IPU of the machine of \p ipu.
  std::uint32_t machineOf(wire::IpuId ipu) const;
  /// Calls \p f(number, lane) for each hop of \p flow; the number is that of an IPU.
  void visitHops(const Flow &flow, const auto &f) const;
  void visitGateways(const Flow &flow, wire::IpuId entry, const auto &f) const;

  const MachineModel &machine_;
  std::uint32_t ipus_, domain_, domains_;
  fabric::Router router_, lastRouter_; ///< of a domain; of the last one, which may be smaller
  std::vector<std::array<std::uint64_t, kLanes>> bytes_; ///< that leave each IPU, by Lane
};

} // namespace copse::clock
