#pragma once

#include "poplar/OptionFlags.hpp"

#include <cstdint>

namespace copse::values {

/// Options of one stream: the last argument of addHostToDeviceFIFO and addDeviceToHostFIFO.
struct StreamOptions {
  std::uint32_t bufferingDepth = 1;       ///< host-side buffers: how far prefetch may run ahead
  std::uint64_t splitLimit = 50ull << 20; ///< no copy joins its neighbours in a host exchange that
                                          ///< moves more on one IPU [bytes]; 0: the 128 MiB of any
};

/// \throws poplar::invalid_option
StreamOptions parseStreamOptions(const poplar::OptionFlags &flags);

} // namespace copse::values
