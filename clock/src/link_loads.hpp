#pragma once

#include "clock/timing_model.hpp"

#include "fabric/router.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace copse::clock {

/// The bytes that each IPU-Link carries in one exchange, and how long a flow takes among them.
class LinkLoads {
public:
  struct Flow {
    wire::IpuId from, to; ///< numbers within the partition
    std::uint64_t bytes = 0;
  };

  LinkLoads(const MachineModel &machine, wire::Topology topology, std::uint32_t ipus)
      : machine_(machine), router_(topology, ipus), bytes_(ipus) {}

  void add(const Flow &flow);
  /// After all flows were added: as long as its most loaded link takes for all its traffic, plus
  /// the hops.
  wire::Cycles time(const Flow &flow) const;
  /// Calls \p f for each link on the route of \p flow.
  void visitLinks(const Flow &flow, const auto &f) const {
    fabric::LinkUse hop{flow.from, flow.from, 0};
    while (hop.to != flow.to) {
      hop = router_.next(hop.to, flow.to, hop.channel);
      f(hop);
    }
  }

private:
  /// Each has a bandwidth of its own: of each IPU, a direction to a neighbour, and inside a pair one
  /// share for the pair's own traffic and one for traffic that goes on.
  enum class Lane : std::uint8_t { Up, Down, Rung, Crossing };
  static constexpr std::size_t kLanes = 4;

  static Lane laneOf(const fabric::LinkUse &link, bool inPair);
  double bandwidth(Lane lane) const;
  /// Calls \p f(ipu, lane) for each hop of \p flow.
  void visitHops(const Flow &flow, const auto &f) const;

  const MachineModel &machine_;
  fabric::Router router_;
  std::vector<std::array<std::uint64_t, kLanes>> bytes_; ///< that leave each IPU, by Lane
};

} // namespace copse::clock
