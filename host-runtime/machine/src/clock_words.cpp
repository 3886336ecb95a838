#include "machine/clock_words.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace copse::machine {
namespace {

constexpr std::int64_t kBytes = sizeof(std::uint64_t);

/// Copies the bytes of a word at \p address that lie in [\p begin, \p begin + size of \p block).
/// \returns whether there are any
bool copyPart(std::uint64_t word, std::int64_t address, std::int64_t begin,
              std::span<std::byte> block) {
  const std::int64_t first = std::max(address, begin),
                     end = std::min(address + kBytes,
                                    begin + static_cast<std::int64_t>(block.size()));
  if (first >= end)
    return false;
  std::array<std::byte, kBytes> bytes{};
  std::memcpy(bytes.data(), &word, bytes.size());
  std::memcpy(block.data() + (first - begin), bytes.data() + (first - address),
              static_cast<std::size_t>(end - first));
  return true;
}

/// Writes the concatenated pieces of a row.
void unpack(std::span<const std::byte> packed, const wire::HostView &view,
            std::span<std::byte> row) {
  for (const wire::HostPiece &piece : view.pieces) {
    std::ranges::copy(packed.first(piece.bytes),
                      row.begin() + static_cast<std::ptrdiff_t>(piece.offset));
    packed = packed.subspan(piece.bytes);
  }
}

} // namespace

void ClockWords::read(std::uint32_t ipu, const wire::Step &step, wire::Cycles now) {
  std::uint64_t &word = words_[ipu][step.predicate];
  word = step.count == 1 ? now.value - word : now.value;
}

bool ClockWords::copyTo(const wire::HostView &view, std::uint32_t ipu,
                        std::span<std::byte> row) const {
  const auto words = words_.find(ipu);
  if (words == words_.end())
    return false;
  bool any = false;
  std::vector<std::byte> packed(view.bytes);
  std::size_t at = 0;
  for (const wire::Region &region : view.regions)
    for (std::uint32_t block = 0; block < region.count; ++block, at += region.bytes)
      for (const auto &[address, word] : words->second)
        if (address.tile == region.tile)
          any |=
              copyPart(word, address.address, region.address + std::int64_t{region.stride} * block,
                       std::span(packed).subspan(at, region.bytes));
  if (any)
    unpack(packed, view, row);
  return any;
}

std::optional<std::uint64_t> ClockWords::wordAt(std::uint32_t ipu,
                                                wire::TileAddress address) const {
  const auto words = words_.find(ipu);
  if (words == words_.end())
    return std::nullopt;
  const auto word = words->second.find(address);
  return word != words->second.end() ? std::optional(word->second) : std::nullopt;
}

std::optional<ClockWords>
ClockWords::after(std::uint64_t turns, const ClockWords &before,
                  const std::function<wire::Cycles(std::uint32_t ipu)> &by) const {
  ClockWords later = *this;
  for (auto &[ipu, words] : later.words_)
    for (auto &[address, word] : words) {
      const auto was = before.wordAt(ipu, address);
      if (!was)
        return std::nullopt; // the next turn tells how it changes
      const std::uint64_t change = word - *was;
      if (change != 0 && change != by(ipu).value)
        return std::nullopt;
      word += change * turns;
    }
  return later;
}

} // namespace copse::machine
