#pragma once

#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <chrono>
#include <string>

namespace copse::fabric {

/// Returns the error Disconnected for a neighbour that was silent for the deadline.
/// \param what  what the neighbour did meanwhile, such as "said nothing"
wire::Status linkIsSilent(wire::IpuId self, wire::IpuId neighbour, const std::string &what,
                          std::chrono::milliseconds deadline);

/// Returns the error Disconnected for a link that ends for the reason \p why.
wire::Status linkIsLost(wire::IpuId self, wire::IpuId neighbour, const std::string &why);

} // namespace copse::fabric
