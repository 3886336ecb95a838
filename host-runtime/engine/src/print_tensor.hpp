#pragma once

#include "compiler/program_lowering.hpp"

#include <cstddef>
#include <iosfwd>
#include <span>

namespace copse::engine {

/// Prints \p row in its tensor's format: a title, and a bracket per dimension, with each inner row
/// on a line of its own, indented by its depth. The size of an element follows from the size of the
/// row.
void printTensor(std::ostream &out, const compiler::PrintedTensor &tensor,
                 std::span<const std::byte> row);

} // namespace copse::engine
