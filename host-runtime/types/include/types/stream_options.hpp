#pragma once

#include "poplar/OptionFlags.hpp"

#include <cstdint>

namespace copse::types {

/// The options of one stream: the last argument of addHostToDeviceFIFO and addDeviceToHostFIFO.
struct StreamOptions {
  std::uint32_t bufferingDepth = 1; ///< host-side buffers: limit for prefetch
  /// The most bytes that a host exchange with a copy of the stream moves on one IPU; a larger copy
  /// is split. 0: copies are never split, and may move at most 128 MiB.
  std::uint64_t splitLimit = 50ull << 20;
};

/// \throws poplar::invalid_option
StreamOptions parseStreamOptions(const poplar::OptionFlags &flags);

} // namespace copse::types
