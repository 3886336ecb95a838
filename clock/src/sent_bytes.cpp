#include "sent_bytes.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace copse::clock {
namespace {

/// Blocks of one size at a fixed distance. All blocks of one row have one tile, size, stride and
/// phase, and differ only in their numbers.
struct Blocks {
  std::uint32_t tile, bytes;
  std::uint32_t stride; ///< distance between blocks; 0: there is one block
  /// The address modulo the stride; the address itself if the stride is 0.
  std::uint32_t phase;
  std::uint32_t begin, end;

  auto row() const { return std::tie(tile, bytes, stride, phase); }
  bool operator<(const Blocks &other) const {
    return std::tie(tile, bytes, stride, phase, begin) <
           std::tie(other.tile, other.bytes, other.stride, other.phase, other.begin);
  }
};

Blocks blocksOf(const wire::Move &move) {
  if (move.count == 1 || move.fromStride == 0)
    return {move.from.tile, move.bytes, 0, move.from.address, 0, 1};
  const std::int64_t distance = std::int64_t{move.fromStride} * (move.count - 1);
  const auto lowest =
      static_cast<std::uint32_t>(move.from.address + std::min<std::int64_t>(distance, 0));
  const auto stride = static_cast<std::uint32_t>(std::abs(std::int64_t{move.fromStride}));
  return {move.from.tile,  move.bytes,      stride,
          lowest % stride, lowest / stride, lowest / stride + move.count};
}

/// Returns \p all in ascending order, with overlapping intervals of a row joined.
std::vector<Blocks> joined(std::vector<Blocks> all) {
  std::sort(all.begin(), all.end());
  std::vector<Blocks> result;
  for (const Blocks &blocks : all)
    if (!result.empty() && result.back().row() == blocks.row() && blocks.begin <= result.back().end)
      result.back().end = std::max(result.back().end, blocks.end);
    else
      result.push_back(blocks);
  return result;
}

/// Returns true if the single block \p block is one of the strided blocks in \p sameSize, which are
/// sorted.
bool isAmong(const Blocks &block, std::span<const Blocks> sameSize) {
  for (auto row = sameSize.begin(); row != sameSize.end();) {
    const std::uint32_t stride = row->stride;
    const auto next = std::partition_point(
        row, sameSize.end(), [&](const Blocks &other) { return other.stride == stride; });
    if (stride != 0) {
      const Blocks one{block.tile,           block.bytes,          stride,
                       block.phase % stride, block.phase / stride, block.phase / stride + 1};
      const auto after = std::upper_bound(row, next, one);
      if (after != row && std::prev(after)->row() == one.row() && std::prev(after)->end >= one.end)
        return true;
    }
    row = next;
  }
  return false;
}

} // namespace

std::unordered_map<std::uint32_t, std::uint64_t> sentBytes(std::span<const wire::Move> moves) {
  std::vector<Blocks> all;
  for (const wire::Move &move : moves)
    if (move.from.tile != move.to.tile)
      all.push_back(blocksOf(move));
  all = joined(std::move(all));
  std::unordered_map<std::uint32_t, std::uint64_t> sent;
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::find_if(first, all.end(), [&](const Blocks &blocks) {
      return blocks.tile != first->tile || blocks.bytes != first->bytes;
    });
    std::uint64_t &bytes = sent[first->tile];
    for (const Blocks &blocks : std::span(first, last))
      if (blocks.stride != 0 || !isAmong(blocks, std::span(first, last)))
        bytes += std::uint64_t{blocks.bytes} * (blocks.end - blocks.begin);
    first = last;
  }
  return sent;
}

} // namespace copse::clock
