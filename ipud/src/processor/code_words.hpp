#pragma once

#include "processor/code_page.hpp"
#include "processor/memory_access.hpp"

namespace copse::ipud {

/// Returns true if \p address may contain an instruction.
inline bool isCode(const Core &core, std::uint32_t address) {
  return isExecutable(*core.chip, address) && (core.block == nullptr || core.block->holds(address));
}

/// Returns the word of code at \p address, for which isCode() must be true.
inline std::uint32_t wordAt(const Core &core, std::uint32_t address) {
  return core.block != nullptr ? core.block->words[(address - core.block->address) / 4]
                               : loaded<std::uint32_t>(core.memory + address);
}

} // namespace copse::ipud
