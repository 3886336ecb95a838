#include "table_layout.hpp"

#include "tile_work/divided_up.hpp"

#include <algorithm>
#include <map>

namespace copse::slices {
namespace {

using copse::tile_work::dividedUp;

using poplar::Interval;

/// Returns the rectangle that a tile's elements are.
std::optional<TableBlock> rectangle(unsigned tile, const std::vector<Interval> &regions,
                                    std::size_t columns) {
  TableBlock block;
  block.tile = tile;
  for (const Interval &region : regions) {
    const std::size_t row = region.begin() / columns, from = region.begin() % columns;
    const bool wholeRows = from == 0 && region.size() % columns == 0;
    const std::size_t rows = wholeRows ? region.size() / columns : 1;
    const Interval here(from, wholeRows ? columns : from + region.size());
    if (here.end() > columns)
      return {};
    if (block.rows.size() == 0) {
      block.rows = Interval(row, row + rows);
      block.columns = here;
    } else if (block.rows.end() == row && block.columns == here) {
      block.rows = Interval(block.rows.begin(), row + rows);
    } else {
      return {};
    }
  }
  return block;
}

} // namespace

std::vector<Interval> shares(std::size_t count, std::size_t parts) {
  std::vector<Interval> result;
  for (std::size_t i = 0; i != parts; ++i)
    result.emplace_back(i * count / parts, (i + 1) * count / parts);
  return result;
}

TableLayout plannedLayout(std::size_t rows, std::size_t columns, unsigned tiles, std::size_t grain,
                          std::size_t mostPerTile, bool splitRows) {
  TableLayout layout;
  if (rows == 0 || columns == 0)
    return layout;
  const std::size_t grains = dividedUp(columns, grain);
  const std::size_t perPart = dividedUp(grains, std::min<std::size_t>(grains, tiles)) * grain;
  const std::size_t parts = dividedUp(columns, perPart);
  const std::size_t room = std::max<std::size_t>(1, tiles / parts);
  const std::size_t needed =
      std::max<std::size_t>(1, dividedUp(rows * perPart, std::max<std::size_t>(1, mostPerTile)));
  const std::size_t rowParts = std::min(rows, splitRows ? room : std::min(room, needed));
  unsigned tile = 0;
  for (std::size_t p = 0; p != parts; ++p) {
    ColumnPart part{Interval(p * perPart, std::min((p + 1) * perPart, columns)), {}};
    for (const Interval &range : shares(rows, rowParts))
      part.blocks.push_back({tile++, range, part.columns});
    layout.push_back(std::move(part));
  }
  return layout;
}

std::size_t commonWidth(const TableLayout &layout) {
  for (const ColumnPart &part : layout)
    if (part.columns.size() != layout.front().columns.size())
      return 0;
  return layout.empty() ? 0 : layout.front().columns.size();
}

std::optional<TableLayout> layoutOf(std::size_t rows, std::size_t columns, std::size_t width,
                                    const std::vector<std::vector<Interval>> &mapping) {
  std::map<Interval, ColumnPart> parts;
  for (unsigned tile = 0; tile != mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    auto block = rectangle(tile, mapping[tile], width);
    if (!block)
      return {};
    const std::size_t number =
        block->rows.begin() / rows; // number of the table, as tables follow each other
    if ((block->rows.end() - 1) / rows != number)
      return {};
    block->rows = Interval(block->rows.begin() - number * rows, block->rows.end() - number * rows);
    block->columns =
        Interval(block->columns.begin() + number * width, block->columns.end() + number * width);
    ColumnPart &part = parts[block->columns];
    part.columns = block->columns;
    part.blocks.push_back(*block);
  }
  TableLayout layout;
  std::size_t column = 0;
  for (auto &[at, part] : parts) {
    if (at.begin() != column)
      return {};
    column = at.end();
    std::sort(part.blocks.begin(), part.blocks.end(),
              [](const TableBlock &a, const TableBlock &b) { return a.rows < b.rows; });
    std::size_t row = 0;
    for (const TableBlock &block : part.blocks) {
      if (block.rows.begin() != row)
        return {};
      row = block.rows.end();
    }
    if (row != rows)
      return {};
    layout.push_back(std::move(part));
  }
  if (column != columns)
    return {};
  return layout;
}

} // namespace copse::slices
