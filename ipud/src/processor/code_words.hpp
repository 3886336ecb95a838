#pragma once

#include "processor/code_page.hpp"
#include "processor/memory_access.hpp"

namespace copse::ipud {

/// Whether there may be an instruction at \p address.
inline bool isCode(const Core &core, std::uint32_t address) {
  return isExecutable(*core.chip, address) && (core.block == nullptr || core.block->holds(address));
}

/// The word of code at such an address.
inline std::uint32_t wordAt(const Core &core, std::uint32_t address) {
  return core.block != nullptr ? core.block->words[(address - core.block->address) / 4]
                               : loaded<std::uint32_t>(core.memory + address);
}

} // namespace copse::ipud
