#pragma once

#include <cstdlib>

namespace copse::test {

/// Returns how many seeds of bad connections are tested: a few, or the number in
/// $COPSE_BAD_WIRE_SEEDS (bad_wire_seeds.sh).
inline unsigned badWireSeeds() {
  const char *const text = std::getenv("COPSE_BAD_WIRE_SEEDS");
  return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 4;
}

} // namespace copse::test
