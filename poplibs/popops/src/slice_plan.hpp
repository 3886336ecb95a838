#pragma once

#include "popops/DynamicSlice.hpp"
#include "table_layout.hpp"

#include <cstddef>
#include <poplar/OptionFlags.hpp>
#include <poplar/Type.hpp>
#include <tuple>
#include <vector>

namespace popops {

/// The content of a SlicePlan: the sizes of the tables, and the layout. A default plan is for no
/// particular table.
class SlicePlanInternal {
public:
  bool isDefault = true;
  poplar::Type type;
  std::size_t groups = 1, rows = 0, columns = 0; ///< shape of one table
  std::vector<std::size_t> numLookups;
  copse::slices::TableRoom room;
  std::size_t columnParts = 0, rowParts = 0; ///< only written, by operator<<

  auto key() const {
    return std::tie(isDefault, type, groups, rows, columns, numLookups, room.share, room.spreads,
                    columnParts, rowParts);
  }
};

} // namespace popops

namespace copse::slices {

/// \throws poplar::invalid_option
TableRoom roomIn(const poplar::OptionFlags &flags);

/// Returns the memory that a table may take: the plan's choice, or, with a default plan, the choice
/// of \p options.
TableRoom roomFor(const popops::SlicePlan &plan, const poplar::OptionFlags &options);

} // namespace copse::slices
