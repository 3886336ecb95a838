#pragma once

#include "poplar/OptionFlags.hpp"

#include <cstdint>

namespace copse::types {

/// Options of one stream: the last argument of addHostToDeviceFIFO and addDeviceToHostFIFO.
struct StreamOptions {
  std::uint32_t bufferingDepth = 1; ///< host-side buffers: how far prefetch may run ahead
  /// No host exchange with a copy of the stream moves more on one IPU [bytes]: a larger copy takes
  /// several. 0: copies are never split, and none moves more than 128 MiB.
  std::uint64_t splitLimit = 50ull << 20;
};

/// \throws poplar::invalid_option
StreamOptions parseStreamOptions(const poplar::OptionFlags &flags);

} // namespace copse::types
