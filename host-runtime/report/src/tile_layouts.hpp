#pragma once

#include "compiler/memory_layout.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

namespace copse::report {

/// What lies where on tiles. Many tiles have the same at the same addresses, so the page has each layout once; if
/// there are too many, it has those of the tiles that come first.
/// \param order  tiles, those first that matter most
nlohmann::json tileLayouts(const compiler::MemoryLayout &memory,
                           std::span<const std::uint32_t> order);

} // namespace copse::report
