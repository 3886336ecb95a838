#include "layout.hpp"

#include <algorithm>

namespace gcl {
namespace {

using poplar::Interval;
using Mapping = poplar::Graph::TileToTensorMapping;

void append(std::vector<Interval> &intervals, std::size_t begin, std::size_t end) {
  if (begin == end)
    return;
  if (!intervals.empty() && intervals.back().end() == begin)
    intervals.back() = Interval(intervals.back().begin(), end);
  else
    intervals.emplace_back(begin, end);
}

/// Takes elements from the front of a list of intervals.
class Supply {
public:
  explicit Supply(const std::vector<Interval> &intervals) : intervals_(intervals) {}

  std::size_t left() const {
    std::size_t n = 0;
    for (std::size_t i = at_; i < intervals_.size(); ++i)
      n += intervals_[i].size();
    return n - used_;
  }
  /// Appends up to \p n elements to \p to.
  /// \returns the number of appended elements
  std::size_t take(std::size_t n, std::vector<Interval> &to) {
    std::size_t taken = 0;
    while (taken < n && at_ < intervals_.size()) {
      const std::size_t begin = intervals_[at_].begin() + used_;
      const std::size_t count = std::min(n - taken, intervals_[at_].end() - begin);
      append(to, begin, begin + count);
      taken += count;
      used_ += count;
      if (used_ == intervals_[at_].size()) {
        ++at_;
        used_ = 0;
      }
    }
    return taken;
  }

private:
  const std::vector<Interval> &intervals_;
  std::size_t at_ = 0, used_ = 0;
};

/// A run of elements of the operand, and its place in the matrix.
struct PlacedRun {
  std::size_t row, column, element, count;
};

/// A layout that grows by blocks of columns.
class Growing {
public:
  Growing(std::size_t rows, std::size_t tiles) : layout_{rows, 0, Mapping(tiles), {}, {}} {}

  std::size_t rows() const { return layout_.rows; }
  std::size_t columns() const { return layout_.columns; }
  /// Maps the columns [begin, end), counted from the first new column, to \p tile.
  void map(std::size_t tile, std::size_t begin, std::size_t end) {
    append(layout_.columnsOnTile[tile], layout_.columns + begin, layout_.columns + end);
  }
  /// Adds \p columns columns and fills them with \p elements row by row, as far as these suffice.
  void addColumns(std::size_t columns, const std::vector<Interval> &elements) {
    for (std::size_t n = 0; const Interval &interval : elements)
      for (std::size_t i = interval.begin(); i < interval.end();) {
        const std::size_t count = std::min(columns - n % columns, interval.end() - i);
        places_.push_back({n / columns, layout_.columns + n % columns, i, count});
        n += count;
        i += count;
      }
    layout_.columns += columns;
  }
  Layout finish() && {
    for (const PlacedRun &place : places_) {
      const std::size_t at = place.row * layout_.columns + place.column;
      append(layout_.operand, place.element, place.element + place.count);
      append(layout_.matrix, at, at + place.count);
    }
    return std::move(layout_);
  }

private:
  Layout layout_;
  std::vector<PlacedRun> places_;
};

/// Lays out the elements of tiles [\p first, \p last), which belong to one IPU.
void addBalanced(Growing &layout, const Mapping &mapping, std::size_t grain, std::size_t first,
                 std::size_t last) {
  const std::size_t unit = layout.rows() * grain;
  struct Own {
    std::size_t tile, columns;
    std::vector<Interval> elements;
  };
  std::vector<Own> tiles;
  std::vector<Interval> rest;
  std::vector<std::size_t> restTiles; ///< by element of the rest
  for (std::size_t tile = first; tile < last; ++tile) {
    Supply supply(mapping[tile]);
    const std::size_t here = supply.left();
    Own own{tile, here / unit * grain, {}};
    supply.take(own.columns * layout.rows(), own.elements);
    supply.take(here, rest);
    restTiles.insert(restTiles.end(), here % unit, tile);
    if (here > 0)
      tiles.push_back(std::move(own));
  }
  const auto add = [&](std::size_t tile, std::size_t columns,
                       const std::vector<Interval> &elements) {
    layout.map(tile, 0, columns);
    layout.addColumns(columns, elements);
  };
  // A unit of the rest lies on the tile of its first element.
  Supply leftOver(rest);
  std::size_t used = 0;
  for (const Own &own : tiles) {
    add(own.tile, own.columns, own.elements);
    while (used < restTiles.size() && restTiles[used] == own.tile) {
      std::vector<Interval> elements;
      used += leftOver.take(unit, elements);
      add(own.tile, grain, elements);
    }
  }
}

/// Elements [begin, end) on a tile.
struct Run {
  std::size_t begin, end, tile;
};
/// Returns the runs in the order of elements.
std::vector<Run> runsOf(const Mapping &mapping) {
  std::vector<Run> runs;
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const Interval &interval : mapping[tile])
      runs.push_back({interval.begin(), interval.end(), tile});
  std::sort(runs.begin(), runs.end(), [](const Run &a, const Run &b) { return a.begin < b.begin; });
  return runs;
}

/// Returns the runs of \p all that lie in a segment, for each IPU.
std::vector<std::vector<Run>> runsByIpu(const std::vector<Run> &all, const Segment &segment,
                                        unsigned tilesPerIpu, std::size_t ipus) {
  std::vector<std::vector<Run>> byIpu(ipus);
  auto run = std::upper_bound(all.begin(), all.end(), segment.begin,
                              [](std::size_t at, const Run &r) { return at < r.end; });
  for (; run != all.end() && run->begin < segment.end; ++run)
    byIpu[run->tile / tilesPerIpu].push_back(
        {std::max(run->begin, segment.begin), std::min(run->end, segment.end), run->tile});
  return byIpu;
}

/// Returns the tiles of the columns if all parts of \p part elements lie alike on tiles. Parts may
/// only differ beyond the last element. Returns an empty list otherwise.
std::vector<Run> columnsOfAlikeParts(const std::vector<Run> &runs, std::size_t part) {
  std::vector<Run> columns;
  std::size_t position = 0;
  for (const Run &run : runs)
    for (std::size_t i = run.begin; i < run.end;) {
      const std::size_t column = position % part;
      const std::size_t n = std::min(run.end - i, part - column);
      if (position < part)
        columns.push_back({column, column + n, run.tile});
      else
        for (const Run &known : columns)
          if (known.begin < column + n && column < known.end && known.tile != run.tile)
            return {};
      position += n;
      i += n;
    }
  return columns;
}

/// Spreads \p part columns over the tiles of \p runs.
std::vector<Run> spreadColumns(const std::vector<Run> &runs, std::size_t part) {
  std::vector<std::size_t> tiles;
  for (const Run &run : runs)
    tiles.push_back(run.tile);
  std::sort(tiles.begin(), tiles.end());
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  std::vector<Run> columns;
  for (std::size_t i = 0; i < tiles.size(); ++i)
    columns.push_back({part * i / tiles.size(), part * (i + 1) / tiles.size(), tiles[i]});
  return columns;
}

void addOrdered(Growing &layout, const std::vector<Run> &runs) {
  std::vector<Interval> elements;
  std::size_t count = 0;
  for (const Run &run : runs) {
    append(elements, run.begin, run.end);
    count += run.end - run.begin;
  }
  if (count == 0)
    return;
  const std::size_t part = (count + layout.rows() - 1) / layout.rows();
  std::vector<Run> columns = columnsOfAlikeParts(runs, part);
  if (columns.empty())
    columns = spreadColumns(runs, part);
  for (const Run &column : columns)
    layout.map(column.tile, column.begin, column.end);
  layout.addColumns(part, elements);
}

} // namespace

Layout balancedLayout(const Mapping &mapping, unsigned tilesPerIpu, std::size_t rows,
                      std::size_t grain) {
  Growing layout(rows, mapping.size());
  for (std::size_t first = 0; first < mapping.size(); first += tilesPerIpu)
    addBalanced(layout, mapping, grain, first, std::min(mapping.size(), first + tilesPerIpu));
  return std::move(layout).finish();
}

Layout orderedLayout(const Mapping &mapping, unsigned tilesPerIpu,
                     const std::vector<Segment> &segments, std::size_t rows,
                     std::vector<std::size_t> &columnsOf) {
  Growing layout(rows, mapping.size());
  const std::vector<Run> runs = runsOf(mapping);
  const std::size_t ipus = (mapping.size() + tilesPerIpu - 1) / tilesPerIpu;
  for (const Segment &segment : segments) {
    const std::size_t before = layout.columns();
    for (const std::vector<Run> &own : runsByIpu(runs, segment, tilesPerIpu, ipus))
      addOrdered(layout, own);
    columnsOf.push_back(layout.columns() - before);
  }
  return std::move(layout).finish();
}

Layout rowLayout(const Mapping &mapping) {
  Layout layout{1, 0, mapping, {}, {}};
  for (const auto &intervals : mapping)
    for (const Interval &interval : intervals)
      layout.columns = std::max(layout.columns, interval.end());
  append(layout.operand, 0, layout.columns);
  append(layout.matrix, 0, layout.columns);
  return layout;
}

poplar::Tensor gathered(const poplar::Tensor &flat, const std::vector<Interval> &intervals) {
  return poplar::concat(flat.slices(intervals));
}

} // namespace gcl
