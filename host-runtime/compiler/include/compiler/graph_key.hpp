#pragma once

#include "compiler/compile.hpp"

#include <span>
#include <string>

namespace copse::compiler {

/// Returns a hash (SHA-256, hexadecimal) of everything from which compile() makes images. Graphs
/// with equal keys have equal executables in every process. The key does not depend on addresses,
/// on the order of hash tables, or on unused vertex types.
///
/// Names are included, because messages and reports show them.
std::string graphKey(const graph::Model &model, std::span<const graph::ProgramPtr> programs,
                     const TargetMemory &memory, const CycleEstimate &estimate,
                     const sync::Scheme &scheme);

} // namespace copse::compiler
