#pragma once

#include "isa/random.hpp"
#include "tile/tile_memory.hpp"

#include "wire/image.hpp"

#include <cstdint>
#include <vector>

namespace copse::ipud {

/// How a tile computes with floating-point numbers.
struct FloatingPoint {
  std::uint32_t stops = 0; ///< events that stop the program: fp::kInvalid, kDivideByZero, kOverflow
  bool stochastic = false; ///< rounding of halves
  bool nanOnOverflow = false; ///< of halves
};

/// Reads and writes the registers that an image keeps in tile memory.
///
/// Thread: each tile by one thread at a time.
class TileRegisters {
public:
  TileRegisters() = default;
  /// Gives the registers their values at load. Keeps references to both.
  TileRegisters(const wire::Image &image, const TileMemory &memory);

  /// Whether halves may have to be rounded in another way than to nearest.
  bool mayRoundHalves() const { return mayRound_; }
  /// Whether a floating-point event may stop the program.
  bool mayStop() const { return mayStop_; }
  FloatingPoint floatingPoint(std::uint32_t tile) const;

  /// Advances the random numbers of a worker.
  fp::RandomBits random(std::uint32_t tile, std::uint32_t worker);

private:
  const wire::TileRegisters *where_ = nullptr;
  const TileMemory *memory_ = nullptr;
  std::uint32_t workers_ = 0;
  bool mayRound_ = false, mayStop_ = false;
  std::vector<fp::Prng> generators_; ///< shape [tiles * workers], where the image has no seeds
};

} // namespace copse::ipud
