#include "link_down.hpp"

#include "wire/ipu_names.hpp"

namespace copse::fabric {
namespace {

std::string isDown(wire::IpuId self, wire::IpuId neighbour) {
  return "the IPU-Link between " + nameOf(self) + " and " + nameOf(neighbour) + " is down: ";
}

} // namespace

wire::Status linkIsSilent(wire::IpuId self, wire::IpuId neighbour, const std::string &what,
                          std::chrono::milliseconds deadline) {
  return {wire::Code::Disconnected, isDown(self, neighbour) + nameOf(neighbour) + " has " + what +
                                        " for " + std::to_string(deadline.count()) +
                                        " ms; see whether its ipud still runs, then reset"};
}

wire::Status linkIsLost(wire::IpuId self, wire::IpuId neighbour, const std::string &why) {
  return {wire::Code::Disconnected, isDown(self, neighbour) + why + "; see whether the ipud of " +
                                        nameOf(neighbour) + " still runs, then reset"};
}

} // namespace copse::fabric
