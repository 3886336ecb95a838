#pragma once

#include <cstdint>
#include <vector>

namespace copse::types {

/// What POPLAR_SIMULATOR_OPTIONS decides, a JSON object. Keys of other simulators are accepted and
/// have no effect.
struct SimulatorOptions {
  /// Key "workerOrder": "fixed" (the default) or "shuffled"; key "workerSeed": a number, 1 if not
  /// given. Not 0: vertices and workers of a tile run in an order that follows from this number.
  std::uint64_t workerSeed = 0;
  /// A word of tile memory whose parity is wrong until the device is reset.
  struct ParityError {
    std::uint32_t ipu = 0, tile = 0, address = 0;
  };
  /// Key "parityErrors": "IPU:TILE:ADDRESS ...", numbers as in C. Of each device, from when its
  /// IPUs first start.
  std::vector<ParityError> parityErrors;
};

/// \throws poplar::parse_error if it is no JSON, poplar::invalid_option for a bad value
SimulatorOptions simulatorOptions();

} // namespace copse::types
