#pragma once

#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <chrono>
#include <string>

namespace copse::fabric {

/// Returns Disconnected for a neighbour that has done \p what ("said nothing") for the deadline.
wire::Status linkIsSilent(wire::IpuId self, wire::IpuId neighbour, const std::string &what,
                          std::chrono::milliseconds deadline);

/// Returns Disconnected for a link that ends for the reason \p why.
wire::Status linkIsLost(wire::IpuId self, wire::IpuId neighbour, const std::string &why);

} // namespace copse::fabric
