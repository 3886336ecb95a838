#pragma once

#include "compiler/compile.hpp"

#include <span>
#include <string>

namespace copse::compiler {

/// A hash (SHA-256, hexadecimal) of all that compile() makes images of: graphs of equal keys have
/// equal executables, in every process. It depends on no address, no order of a hash table and no
/// vertex type that is not used.
///
/// Names count, because messages and reports have them.
std::string graphKey(const graph::Model &model, std::span<const graph::ProgramPtr> programs,
                     const TargetMemory &memory, const CycleEstimate &estimate,
                     const sync::Scheme &scheme);

} // namespace copse::compiler
