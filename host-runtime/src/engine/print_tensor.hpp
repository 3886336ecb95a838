#pragma once

#include "compiler/program_lowering.hpp"

#include <cstddef>
#include <iosfwd>
#include <span>

namespace copse::engine {

/// Prints \p row as `title: [[1 2] [3 4]]`, a bracket for each dimension, the inner rows on lines
/// of their own. \param halfBytes  2, or 4 where the device keeps halves as floats
void printTensor(std::ostream &out, const compiler::PrintedTensor &tensor,
                 std::span<const std::byte> row, std::uint32_t halfBytes);

} // namespace copse::engine
