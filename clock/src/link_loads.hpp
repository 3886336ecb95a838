#pragma once

#include "clock/timing_model.hpp"

#include "fabric/router.hpp"

#include <compare>
#include <cstdint>
#include <map>
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
      : machine_(machine), router_(topology, ipus) {}

  void add(const Flow &flow);
  /// After all flows were added: as long as its most loaded link takes for all its traffic, plus
  /// the hops.
  wire::Cycles time(const Flow &flow) const;

private:
  /// What has a bandwidth of its own: one direction between two neighbours, and inside a pair one
  /// share for the pair's own traffic and one for traffic that goes on.
  struct Lane {
    wire::IpuId from, to;
    bool crossing = false;
    friend auto operator<=>(const Lane &, const Lane &) = default;
  };

  std::vector<Lane> lanes(const Flow &flow) const;
  double bandwidth(const Lane &lane) const;

  const MachineModel &machine_;
  fabric::Router router_;
  std::map<Lane, std::uint64_t> bytes_;
};

} // namespace copse::clock
