#pragma once

#include "processor/random.hpp"
#include "tile/tile_memory.hpp"

#include "wire/image.hpp"

#include <cstdint>
#include <vector>

namespace copse::ipud {

/// A tile's floating-point modes.
struct FloatingPoint {
  std::uint32_t stops = 0; ///< events that stop the program: fp::kInvalid, kDivideByZero, kOverflow
  bool stochastic = false; ///< round halves stochastically
  bool nanOnOverflow = false; ///< a half that overflows becomes NaN
  /// Returns the value of $FP_CTL.
  std::uint32_t controlWord() const;
  /// Returns the modes in a value of $FP_CTL.
  static FloatingPoint of(std::uint32_t controlWord);
};

/// Reads and writes the registers that an image keeps in tile memory.
///
/// Thread: one thread at a time per tile.
class RegisterWords {
public:
  RegisterWords() = default;
  /// Sets the registers to their values at load. Keeps references to its arguments.
  RegisterWords(const wire::Image &image, const TileMemory &memory);

  /// Returns true if halves may have to be rounded in another way than to nearest.
  bool mayRoundHalves() const { return mayRound_; }
  /// Returns true if this kind of device can stop programs on floating-point events.
  bool canStop() const { return where_ != nullptr && where_->raise; }
  /// Returns true if a floating-point event may stop the program.
  bool mayStop() const { return mayStop_; }
  FloatingPoint floatingPoint(std::uint32_t tile) const;

  /// Advances the random numbers of a worker.
  fp::RandomBits random(std::uint32_t tile, std::uint32_t worker);
  /// Seeds the random numbers of a worker, as writing $PRNG_SEED does.
  void seed(std::uint32_t tile, std::uint32_t worker, std::uint32_t value);

  /// Returns the number of workers per tile.
  std::uint32_t workers() const { return workers_; }
  /// Returns the address of a worker's random number state, in the layout of fp::Prng; may be
  /// unaligned.
  std::byte *stateOf(std::uint32_t tile, std::uint32_t worker);
  /// Returns a worker's random number state.
  fp::Prng generator(std::uint32_t tile, std::uint32_t worker) const;
  void setGenerator(std::uint32_t tile, std::uint32_t worker, const fp::Prng &generator);
  /// Sets the floating-point modes of a tile, as writing \p control to $FP_ICTL does. Does nothing
  /// if the program does not use these registers.
  void setFloatingPoint(std::uint32_t tile, std::uint32_t control);

private:
  const wire::TileRegisters *where_ = nullptr;
  const TileMemory *memory_ = nullptr;
  std::uint32_t workers_ = 0;
  bool mayRound_ = false, mayStop_ = false;
  /// Shape [tiles * workers]; used if the image has no seeds.
  std::vector<fp::Prng> generators_;
};

} // namespace copse::ipud
