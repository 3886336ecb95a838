#pragma once

#include "processor/random.hpp"
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
  /// As $FP_CTL has it.
  std::uint32_t controlWord() const;
  /// The reverse.
  static FloatingPoint of(std::uint32_t controlWord);
};

/// Reads and writes the registers that an image keeps in tile memory.
///
/// Thread: each tile by one thread at a time.
class RegisterWords {
public:
  RegisterWords() = default;
  /// Gives the registers their values at load. Keeps references to both.
  RegisterWords(const wire::Image &image, const TileMemory &memory);

  /// Whether halves may have to be rounded in another way than to nearest.
  bool mayRoundHalves() const { return mayRound_; }
  /// Whether this kind of device stops programs for floating-point events at all.
  bool canStop() const { return where_ != nullptr && where_->raise; }
  /// Whether a floating-point event may stop the program.
  bool mayStop() const { return mayStop_; }
  FloatingPoint floatingPoint(std::uint32_t tile) const;

  /// Advances the random numbers of a worker.
  fp::RandomBits random(std::uint32_t tile, std::uint32_t worker);
  /// What writing $PRNG_SEED does.
  void seed(std::uint32_t tile, std::uint32_t worker, std::uint32_t value);

  std::uint32_t workers() const { return workers_; } ///< of a tile
  /// Where the state of a worker's random numbers is, as fp::Prng has it, of any alignment.
  std::byte *stateOf(std::uint32_t tile, std::uint32_t worker);
  /// The state of a worker's random numbers.
  fp::Prng generator(std::uint32_t tile, std::uint32_t worker) const;
  void setGenerator(std::uint32_t tile, std::uint32_t worker, const fp::Prng &generator);
  /// What writing \p control to $FP_ICTL does, where a program speaks of these registers; else
  /// nothing.
  void setFloatingPoint(std::uint32_t tile, std::uint32_t control);

private:
  const wire::TileRegisters *where_ = nullptr;
  const TileMemory *memory_ = nullptr;
  std::uint32_t workers_ = 0;
  bool mayRound_ = false, mayStop_ = false;
  std::vector<fp::Prng> generators_; ///< shape [tiles * workers], where the image has no seeds
};

} // namespace copse::ipud
