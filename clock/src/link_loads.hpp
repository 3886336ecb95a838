#pragma once

#include "clock/timing_model.hpp"

#include "fabric/router.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace copse::clock {

/// Links are shared, so how long one flow takes depends on all other flows of its exchange.
/// LinkLoads adds up the bytes that each link carries, and then returns the time of each flow. A
/// flow to another domain goes to its machine's gateway, over GW-Links to the machine in the
/// corresponding place of the other domain, into the IPU in the corresponding place, and from there
/// over IPU-Links.
class LinkLoads {
public:
  struct Flow {
    wire::IpuId from, to; ///< numbers within the partition
    std::uint64_t bytes = 0;
  };

  LinkLoads(const MachineModel &machine, wire::Topology topology, std::uint32_t ipus);

  void add(const Flow &flow);
  /// Returns the time of \p flow, once all flows have been added: the time that its most loaded
  /// link takes for all its traffic, plus the latency of the hops.
  wire::Cycles time(const Flow &flow) const;
  /// Calls \p f for each IPU-Link on the route of \p flow.
  void visitLinks(const Flow &flow, const auto &f) const {
    for (fabric::LinkUse came = fabric::Router::start(flow.from); came.to != flow.to;) {
      came = router_.next(came, flow.to);
      if (!leadsThroughGateways(router_.wiring(), came.from, came.to))
        f(came);
    }
  }

private:
  /// The kinds of links, each with its own bandwidth. An IPU has one lane to its neighbour in each
  /// direction, two inside its pair (one for the pair's own traffic, one for traffic that continues
  /// to another rung), and one in each direction between IPU and gateway. A machine's gateway has
  /// one in each direction along the GW-Links.
  enum class Lane : std::uint8_t {
    Up,
    Down,
    Rung,
    Crossing,
    ToGateway,
    FromGateway,
    GatewayUp,  ///< looped: to the next domain; switched: to the switch
    GatewayDown ///< looped: to the previous domain; switched: from the switch
  };
  static constexpr std::size_t kLanes = 8;

  static Lane laneOf(const fabric::LinkUse &link, bool inPair);
  double bandwidth(Lane lane) const;
  /// Returns the first IPU of the machine of \p ipu.
  std::uint32_t machineOf(wire::IpuId ipu) const;
  /// Calls \p f(number, lane) for each hop of \p flow, where number is the number of an IPU.
  void visitHops(const Flow &flow, const auto &f) const;
  void visitGateways(const fabric::LinkUse &hop, const auto &f) const;

  const MachineModel &machine_;
  fabric::Router router_;
  std::vector<std::array<std::uint64_t, kLanes>> bytes_; ///< bytes that leave each IPU, by Lane
};

} // namespace copse::clock
