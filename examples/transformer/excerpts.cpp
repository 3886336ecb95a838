#include "excerpts.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace transformer {

namespace {

/// Returns a good mixture of the bits of \p x: Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators" (2014).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

} // namespace

Excerpts::Excerpts(const Text &text, const Shape &shape, unsigned replicas, unsigned seed)
    : text_(text), shape_(shape), partSize_(text.characters().size() / replicas), seed_(seed) {
  if (partSize_ <= shape.context)
    throw std::runtime_error("the text has " + std::to_string(text.characters().size()) +
                             " characters, too few for " + std::to_string(replicas) +
                             " replicas and a context of " + std::to_string(shape.context));
}

std::uint64_t Excerpts::drawn(std::uint64_t microBatch, unsigned replica,
                              std::size_t number) const {
  return mixed(mixed(mixed(seed_ + 0x9E3779B97F4A7C15ull) + microBatch) + 1000003ull * replica +
               number);
}

void Excerpts::fill(std::uint64_t microBatch, unsigned replica, std::size_t shift,
                    std::uint32_t *row) const {
  for (std::size_t b = 0; b != shape_.batch; ++b) {
    const std::size_t begin =
        replica * partSize_ + shift + drawn(microBatch, replica, b) % (partSize_ - shape_.context);
    const auto from = text_.characters().begin() + static_cast<std::ptrdiff_t>(begin);
    row = std::copy(from, from + static_cast<std::ptrdiff_t>(shape_.context), row);
  }
}

void Excerpts::fillCharacters(std::uint64_t microBatch, unsigned replica,
                              std::uint32_t *row) const {
  fill(microBatch, replica, 0, row);
  const std::uint64_t seed = drawn(microBatch, replica, shape_.batch);
  row[shape_.rows()] = static_cast<std::uint32_t>(seed);
  row[shape_.rows() + 1] = static_cast<std::uint32_t>(seed >> 32);
}

void Excerpts::fillLabels(std::uint64_t microBatch, unsigned replica, std::uint32_t *row) const {
  fill(microBatch, replica, 1, row);
}

} // namespace transformer
