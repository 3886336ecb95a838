#pragma once

#include <cstdint>
#include <vector>

namespace copse::types {

/// The options in POPLAR_SIMULATOR_OPTIONS, a JSON object. Keys of other simulators are accepted
/// without effect.
struct SimulatorOptions {
  /// Key "workerOrder": "fixed" (the default) or "shuffled"; key "workerSeed": a number, by default
  /// 1. If nonzero, the vertices and workers of a tile run in an order that depends on it.
  std::uint64_t workerSeed = 0;
  /// A word of tile memory with wrong parity until the device is reset.
  struct ParityError {
    std::uint32_t ipu = 0, tile = 0, address = 0;
  };
  /// Key "parityErrors": "IPU:TILE:ADDRESS ...", with numbers in C syntax. Applies to each device,
  /// from the first start of its IPUs.
  std::vector<ParityError> parityErrors;
};

/// \throws poplar::parse_error if it is not JSON, poplar::invalid_option for an invalid value
SimulatorOptions simulatorOptions();

} // namespace copse::types
