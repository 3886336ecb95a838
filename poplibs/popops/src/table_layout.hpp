#pragma once

#include <cstddef>
#include <optional>
#include <poplar/Interval.hpp>
#include <vector>

namespace copse::slices {

/// A rectangle of a table that is on one tile.
struct TableBlock {
  unsigned tile = 0;
  poplar::Interval rows, columns;
};

/// Blocks with the same columns, which together have all rows.
struct ColumnPart {
  poplar::Interval columns;
  std::vector<TableBlock> blocks; ///< by rows, ascending
};

/// The layout of a table [rows, columns] on tiles: its columns in parts, ascending.
using TableLayout = std::vector<ColumnPart>;

/// The part of the tiles' memory that a table may take.
struct TableRoom {
  double share = 0.5;   ///< share of a tile's memory
  bool spreads = false; ///< rows are spread over all tiles, for the least memory on each
};

/// Plans the layout of a table. Columns are spread over as many tiles as there are grains of
/// columns. Rows are kept together as long as a tile can hold them: each tile reads all offsets,
/// whatever rows it has, and results from several parts of the rows have to be joined.
/// \param mostPerTile  elements
/// \param splitRows    over all tiles that columns leave free
TableLayout plannedLayout(std::size_t rows, std::size_t columns, unsigned tiles, std::size_t grain,
                          std::size_t mostPerTile, bool splitRows);

/// Returns the number of columns of every part, or 0 if parts differ.
std::size_t commonWidth(const TableLayout &layout);

/// Returns the layout that a table has, if every tile has a rectangle, and columns are cut in the
/// same places in all rows.
/// \param width    divides \p columns
/// \param mapping  the table flattened as [columns / width, rows, width]: where that is how its
///                 memory lies, there are as few intervals as blocks
std::optional<TableLayout> layoutOf(std::size_t rows, std::size_t columns, std::size_t width,
                                    const std::vector<std::vector<poplar::Interval>> &mapping);

/// Divides \p count elements into \p parts parts, in order; some may be empty.
std::vector<poplar::Interval> shares(std::size_t count, std::size_t parts);

} // namespace copse::slices
