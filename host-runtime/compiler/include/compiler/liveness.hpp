#pragma once

#include "compiler/live_ranges.hpp"
#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::compiler {

/// When the contents of each variable, and of the edge buffers of each compute set, are needed.
struct Liveness {
  LiveRanges ranges;
  std::vector<LiveRanges::Id> variables;   ///< shape [variables]
  std::vector<LiveRanges::Id> computeSets; ///< shape [compute sets]: ranges of their buffers
  /// Shape [variables]: the variable itself, or the variable whose memory it shares as another
  /// name; its range then covers both.
  std::vector<graph::VariableId> homes;
  /// A program that is one step, or the end of a loop, and a time at which it runs.
  struct Visit {
    const graph::ProgramNode *node;
    std::uint32_t time;
  };
  std::vector<Visit> visits;
};

/// Finds when each variable is live. A variable is live while some part of it is: from a step that
/// writes the whole part, or that WriteUndef precedes, to the last step that reads the part.
/// WriteUndef counts only for parts that no step overwrites completely without reading them. In
/// case of doubt a variable is always live:
/// - if the host reads or writes it, if it is a constant, or if it has an initial value;
/// - if a program may read a part before writing it: the part then keeps its value from run to run,
///   and starts as zeros.
///
/// A variable that no step uses is never live; tensors are often created only for their shape and
/// tile mapping. A function's variables are live as each call needs them. If programs would become
/// too long with all steps of all calls, a function counts as one step in which all its variables
/// are live together. Adjacent stream copies also count as one step, because they become one
/// transfer. A copy (copySources()) that is no longer read when its source is next written shares
/// the source's memory.
Liveness findLiveness(const graph::Model &model, std::span<const graph::ProgramPtr> programs,
                      const VertexIndex &index);

/// Returns a result in which everything is always live.
Liveness nothingShared(const graph::Model &model);

} // namespace copse::compiler
