#include "tile/register_words.hpp"

#include "processor/float_bits.hpp"

#include <cstring>

namespace copse::ipud {
namespace {

// Indices into wire::TileRegisters::floatingPoint. The first three words are the events, in the
// order of the bits fp::kInvalid etc.
constexpr std::uint32_t kEvents = 3, kStochasticWord = 3, kNanOnOverflowWord = 4, kWords = 5;

constexpr unsigned kEsr = 19, kNanoo = 20; // bits of $FP_CTL

constexpr bool bit(std::uint32_t bits, std::uint32_t i) { return (bits >> i & 1) != 0; }

/// Returns a different generator for every worker, so that no two are all zero.
fp::Prng firstGenerator(std::uint32_t number) { return fp::Prng::seeded(number + 1); }

} // namespace

std::uint32_t FloatingPoint::controlWord() const {
  return stops | (stochastic ? 1u : 0u) << kEsr | (nanOnOverflow ? 1u : 0u) << kNanoo;
}

FloatingPoint FloatingPoint::of(std::uint32_t controlWord) {
  return {controlWord & ((1U << kEvents) - 1), bit(controlWord, kEsr), bit(controlWord, kNanoo)};
}

RegisterWords::RegisterWords(const wire::Image &image, const TileMemory &memory)
    : where_(&image.registers), memory_(&memory), workers_(image.geometry.workers) {
  const wire::TileRegisters &registers = image.registers;
  const bool variable = !registers.floatingPoint.empty();
  mayRound_ = variable || registers.atLoad != 0;
  mayStop_ = registers.raise && (variable || registers.atLoad != 0);
  for (std::uint32_t tile = 0; tile < registers.floatingPoint.size(); ++tile)
    for (std::uint32_t i = 0; i < kWords; ++i) {
      const std::uint32_t word = bit(registers.atLoad, i) ? 1 : 0;
      std::memcpy(memory.at(tile, registers.floatingPoint[tile] + 4 * i), &word, sizeof word);
    }
  if (registers.seeds.empty())
    for (std::uint32_t i = 0; i < image.geometry.tiles * workers_; ++i)
      generators_.push_back(firstGenerator(i));
}

FloatingPoint RegisterWords::floatingPoint(std::uint32_t tile) const {
  std::uint32_t bits = where_->atLoad;
  if (!where_->floatingPoint.empty()) {
    std::uint32_t words[kWords];
    std::memcpy(words, memory_->at(tile, where_->floatingPoint[tile]), sizeof words);
    bits = 0;
    for (std::uint32_t i = 0; i < kWords; ++i)
      bits |= (words[i] != 0 ? 1u : 0u) << i;
  }
  const std::uint32_t events = bits & ((1u << kEvents) - 1);
  return {where_->raise ? events : 0, bit(bits, kStochasticWord), bit(bits, kNanOnOverflowWord)};
}

void RegisterWords::setFloatingPoint(std::uint32_t tile, std::uint32_t control) {
  if (where_->floatingPoint.empty())
    return;
  constexpr std::uint32_t kFirstOption = 19; // bit of ESR, followed by NANOO
  for (std::uint32_t i = 0; i < kWords; ++i) {
    const std::uint32_t word = bit(control, i < kEvents ? i : kFirstOption + i - kEvents) ? 1 : 0;
    std::memcpy(memory_->at(tile, where_->floatingPoint[tile] + 4 * i), &word, sizeof word);
  }
}

std::byte *RegisterWords::stateOf(std::uint32_t tile, std::uint32_t worker) {
  if (where_->seeds.empty())
    return reinterpret_cast<std::byte *>(&generators_[std::size_t{tile} * workers_ + worker]);
  return memory_->at(tile, where_->seeds[tile]) + sizeof(fp::Prng) * worker;
}

fp::Prng RegisterWords::generator(std::uint32_t tile, std::uint32_t worker) const {
  if (where_->seeds.empty())
    return generators_[std::size_t{tile} * workers_ + worker];
  fp::Prng generator;
  std::memcpy(&generator, memory_->at(tile, where_->seeds[tile]) + sizeof generator * worker,
              sizeof generator);
  return generator;
}

void RegisterWords::setGenerator(std::uint32_t tile, std::uint32_t worker,
                                 const fp::Prng &generator) {
  std::memcpy(stateOf(tile, worker), &generator, sizeof generator);
}

fp::RandomBits RegisterWords::random(std::uint32_t tile, std::uint32_t worker) {
  fp::Prng state = generator(tile, worker);
  const fp::RandomBits bits = state.advance();
  setGenerator(tile, worker, state);
  return bits;
}

void RegisterWords::seed(std::uint32_t tile, std::uint32_t worker, std::uint32_t value) {
  setGenerator(tile, worker, fp::Prng::seeded(value));
}

} // namespace copse::ipud
