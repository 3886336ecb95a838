#pragma once

#include "compiler/live_ranges.hpp"
#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::compiler {

/// When each variable, and the edge buffers of each compute set, must keep their contents.
struct Liveness {
  LiveRanges ranges;
  std::vector<LiveRanges::Id> variables;   ///< shape [variables]
  std::vector<LiveRanges::Id> computeSets; ///< shape [compute sets]: of their buffers
};

/// Finds what is live when, for whole variables: one is live from a step that writes all of it, or
/// before which WriteUndef stands, to the last step that reads it. Live always is whatever is not
/// certain:
/// - what the host reads or writes, constants, variables with an initial value;
/// - a variable that some program may read before it has written all of it: it keeps its value from
///   run to run, and starts as zeros;
/// - a variable that no step of a program uses.
/// A function that is called from several places is one step, all of whose variables are live
/// together; so are neighbouring stream copies, which become one transfer.
Liveness findLiveness(const graph::Model &model, std::span<const graph::ProgramPtr> programs,
                      const VertexIndex &index);

/// Everything is live always.
Liveness nothingShared(const graph::Model &model);

} // namespace copse::compiler
