#pragma once

#include "clock/timing_model.hpp"

#include "fabric/topology.hpp"

namespace copse::clock {

/// Returns how a machine joins a partition's IPUs, in the modelled clock and between processes.
inline fabric::Wiring wiringOf(const MachineModel &machine, wire::Topology topology,
                               std::uint32_t ipus) {
  const bool switched = machine.pod && machine.pod->gatewayLinks == GatewayLinks::Switched;
  return {topology, ipus, machine.domainOf(ipus), switched};
}

} // namespace copse::clock
