#pragma once

#include <cstdlib>

namespace copse::test {

/// With how many seeds a bad wire is tried: a few, or as many as $COPSE_BAD_WIRE_SEEDS says
/// (bad_wire_seeds.sh).
inline unsigned badWireSeeds() {
  const char *const text = std::getenv("COPSE_BAD_WIRE_SEEDS");
  return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 4;
}

} // namespace copse::test
