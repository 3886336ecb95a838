#include "reduce_plan.hpp"

#include "tile_work/divided_up.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace copse::reductions {
namespace {

using copse::tile_work::dividedUp;

using poplar::Interval;

/// Fewer elements than that are not worth a worker of their own.
constexpr std::size_t kMinElementsPerPart = 16;

/// The number of elements that a worker reads in the time that a further stage takes to start.
constexpr std::size_t kElementsOfAStage = 128;

/// The innermost rows as [reduced, inner], and where each row's results stand.
class Rows {
public:
  explicit Rows(std::vector<Dimension> dimensions) : dimensions_(std::move(dimensions)) {
    if (dimensions_.empty() || std::none_of(dimensions_.begin(), dimensions_.end(),
                                            [](const Dimension &d) { return d.reduced; }))
      dimensions_.insert(dimensions_.begin(), {1, true});
    if (!dimensions_.back().reduced) {
      inner_ = dimensions_.back().size;
      dimensions_.pop_back();
    }
    reduced_ = dimensions_.back().size;
    dimensions_.pop_back();
  }

  std::size_t inner() const { return inner_; }
  std::size_t elements() const { return reduced_ * inner_; } ///< returns the elements of one row

  /// Returns the position of the first result of \p row.
  std::size_t result(std::size_t row) const {
    std::size_t position = 0, stride = inner_;
    for (std::size_t d = dimensions_.size(); d != 0; --d) {
      const Dimension &dimension = dimensions_[d - 1];
      if (!dimension.reduced) {
        position += row % dimension.size * stride;
        stride *= dimension.size;
      }
      row /= dimension.size;
    }
    return position;
  }

  /// Rows from \p row on whose results follow each other, at most \p most.
  std::size_t consecutive(std::size_t row, std::size_t most) const {
    if (dimensions_.empty() || dimensions_.back().reduced)
      return std::min<std::size_t>(most, 1);
    return std::min(most, dimensions_.back().size - row % dimensions_.back().size);
  }

private:
  std::vector<Dimension> dimensions_; ///< outside a row
  std::size_t reduced_ = 1, inner_ = 1;
};

/// Adds a piece of one row. A piece that has less than a row of columns and crosses its end becomes
/// two.
void addPiece(const Rows &rows, Interval piece, unsigned tile, std::vector<Block> &blocks) {
  const std::size_t row = piece.begin() / rows.elements();
  const std::size_t start = (piece.begin() - row * rows.elements()) % rows.inner();
  const std::size_t result = rows.result(row);
  if (piece.size() >= rows.inner()) {
    blocks.push_back(
        {tile, piece, 1, rows.inner(), start, {Interval(result, result + rows.inner())}});
    return;
  }
  const std::size_t before = std::min(piece.size(), rows.inner() - start);
  blocks.push_back({tile,
                    Interval(piece.begin(), piece.begin() + before),
                    1,
                    before,
                    0,
                    {Interval(result + start, result + start + before)}});
  if (before != piece.size()) {
    const std::size_t rest = piece.size() - before;
    blocks.push_back({tile,
                      Interval(piece.begin() + before, piece.end()),
                      1,
                      rest,
                      0,
                      {Interval(result, result + rest)}});
  }
}

void addRegion(const Rows &rows, Interval region, unsigned tile, std::vector<Block> &blocks) {
  const std::size_t perRow = rows.elements();
  std::size_t begin = region.begin();
  while (begin < region.end()) {
    const std::size_t rowEnd = (begin / perRow + 1) * perRow;
    if (begin % perRow != 0 || rowEnd > region.end()) {
      const std::size_t end = std::min(rowEnd, region.end());
      addPiece(rows, Interval(begin, end), tile, blocks);
      begin = end;
      continue;
    }
    const std::size_t row = begin / perRow;
    const std::size_t n = rows.consecutive(row, (region.end() - begin) / perRow);
    const std::size_t result = rows.result(row);
    blocks.push_back({tile,
                      Interval(begin, begin + n * perRow),
                      n,
                      rows.inner(),
                      0,
                      {Interval(result, result + n * rows.inner())}});
    begin += n * perRow;
  }
}

/// \p block cut where multiples of \p share end on its tile.
/// \param at  where it begins there
std::vector<Block> cut(const Block &block, std::size_t at, std::size_t share) {
  const std::size_t least = std::max(kMinElementsPerPart, 2 * block.inner);
  const std::size_t size = block.elements.size();
  std::vector<std::size_t> ends;
  for (std::size_t end = (at / share + 1) * share; end < at + size; end += share) {
    const std::size_t whole =
        (end - at) / block.inner * block.inner; // so that parts have all results
    if (whole - (ends.empty() ? 0 : ends.back()) >= least && size - whole >= least)
      ends.push_back(whole);
  }
  ends.push_back(size);
  std::vector<Block> parts;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    parts.push_back(block);
    parts.back().elements = Interval(block.elements.begin() + begin, block.elements.begin() + end);
    begin = end;
  }
  return parts;
}

} // namespace

std::vector<Dimension> joined(const std::vector<Dimension> &dimensions) {
  std::vector<Dimension> result;
  for (const Dimension &d : dimensions) {
    if (d.size == 1)
      continue;
    if (!result.empty() && result.back().reduced == d.reduced)
      result.back().size *= d.size;
    else
      result.push_back(d);
  }
  return result;
}

std::size_t Block::numResults() const {
  std::size_t n = 0;
  for (const Interval &interval : results)
    n += interval.size();
  return n;
}

std::vector<Block> blocksOf(const std::vector<Dimension> &dimensions,
                            const std::vector<std::vector<Interval>> &mapping) {
  const Rows rows(dimensions);
  std::vector<Block> blocks;
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (const Interval &region : mapping[tile])
      addRegion(rows, region, tile, blocks);
  return blocks;
}

bool coverOnce(const std::vector<Block> &blocks, std::size_t numOutputs) {
  std::size_t results = 0;
  for (const Block &block : blocks)
    results += block.numResults();
  return results == numOutputs; // each output has one at least
}

std::vector<Block> rowsApart(const std::vector<Block> &blocks, unsigned workers) {
  std::vector<Block> apart;
  for (const Block &block : blocks) {
    if (block.outer == 1 || block.numResults() >= workers) {
      apart.push_back(block);
      continue;
    }
    const std::size_t perRow = block.elements.size() / block.outer;
    for (std::size_t row = 0; row != block.outer; ++row) {
      const std::size_t begin = block.elements.begin() + row * perRow;
      const std::size_t result = block.results.front().begin() + row * block.inner;
      apart.push_back({block.tile,
                       Interval(begin, begin + perRow),
                       1,
                       block.inner,
                       0,
                       {Interval(result, result + block.inner)}});
    }
  }
  return apart;
}

std::vector<std::vector<Block>> partsOf(const std::vector<Block> &blocks, unsigned workers) {
  std::vector<std::vector<Block>> parts;
  for (auto first = blocks.begin(); first != blocks.end();) {
    const auto last = std::find_if(first, blocks.end(),
                                   [&](const Block &block) { return block.tile != first->tile; });
    const auto elements =
        std::accumulate(first, last, std::size_t{0}, [](std::size_t sum, const Block &block) {
          return sum + block.elements.size();
        });
    const std::size_t share = std::max(dividedUp(elements, workers), kMinElementsPerPart);
    std::size_t at = 0; // position in the tile's elements
    for (; first != last; at += first->elements.size(), ++first)
      parts.push_back(first->outer == 1 && first->numResults() < workers
                          ? cut(*first, at, share)
                          : std::vector<Block>{*first});
  }
  return parts;
}

bool gainsByParts(const std::vector<Block> &blocks, unsigned workers) {
  return std::any_of(blocks.begin(), blocks.end(), [&](const Block &block) {
    const std::size_t sharers = std::min<std::size_t>(workers, block.numResults());
    return block.elements.size() / sharers > block.elements.size() / workers + kElementsOfAStage;
  });
}

Combination combinationFor(std::size_t partials, std::size_t outputs, std::size_t tiles,
                           std::size_t grain) {
  const auto perTile = [&](std::size_t results) {
    return std::max<std::size_t>(1, dividedUp(dividedUp(results, grain), tiles)) * grain;
  };
  // Two rounds take in sqrt(partials) each, instead of all at once, and in larger pieces; a round
  // costs a few hundred cycles to start.
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(partials)));
  const std::size_t groups = partials < 64 ? 1 : root;
  return {groups, perTile(outputs * groups), perTile(outputs)};
}

} // namespace copse::reductions
