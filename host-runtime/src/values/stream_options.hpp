#pragma once

#include "poplar/OptionFlags.hpp"

#include <cstdint>

namespace copse::values {

/// Options of one stream: the last argument of addHostToDeviceFIFO and addDeviceToHostFIFO.
struct StreamOptions {
  std::uint32_t bufferingDepth = 1;       ///< host-side buffers: how far prefetch may run ahead
  std::uint64_t splitLimit = 50ull << 20; ///< largest part of one host exchange [bytes]
};

/// \throws poplar::invalid_option
StreamOptions parseStreamOptions(const poplar::OptionFlags &flags);

} // namespace copse::values
