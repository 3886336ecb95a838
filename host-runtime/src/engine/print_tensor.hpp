#pragma once

#include "compiler/program_lowering.hpp"

#include <cstddef>
#include <iosfwd>
#include <span>

namespace copse::engine {

/// Prints \p row as `title: [[1 2] [3 4]]`, a bracket for each dimension, the inner rows on lines
/// of their own. The size of elements follows from that of the row.
void printTensor(std::ostream &out, const compiler::PrintedTensor &tensor,
                 std::span<const std::byte> row);

} // namespace copse::engine
