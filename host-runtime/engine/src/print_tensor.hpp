#pragma once

#include "compiler/program_lowering.hpp"

#include <cstddef>
#include <iosfwd>
#include <span>

namespace copse::engine {

/// Prints \p row as its tensor's format says: a title, and a bracket for each dimension; each inner
/// row on a line of its own, indented by its depth. The size of elements follows from that of the
/// row.
void printTensor(std::ostream &out, const compiler::PrintedTensor &tensor,
                 std::span<const std::byte> row);

} // namespace copse::engine
