#pragma once

#include "compiler/memory_layout.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

namespace copse::report {

/// Returns the memory layouts of tiles. Many tiles have equal layouts, so the page has each layout
/// once. If there are too many, the page has the layouts of the first tiles in \p order.
/// \param order  tiles, the most important ones first
nlohmann::json tileLayouts(const compiler::MemoryLayout &memory,
                           std::span<const std::uint32_t> order);

} // namespace copse::report
