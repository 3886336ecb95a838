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
  /// Shape [variables]: itself, or the variable whose memory it is another name of, and whose range
  /// is that of both.
  std::vector<graph::VariableId> homes;
  /// A program that is one step, or the end of a loop, and when it runs: as often as it is met.
  struct Visit {
    const graph::ProgramNode *node;
    std::uint32_t time;
  };
  std::vector<Visit> visits;
};

/// Finds what is live when. A variable is live while some part of it is: from a step that writes
/// all of the part, or before which WriteUndef stands, to the last step that reads it. WriteUndef
/// counts only for parts that no step writes as a whole without reading them. Live always
/// is whatever is not certain:
/// - what the host reads or writes, constants, variables with an initial value;
/// - a variable of which some program may read a part before it has written it: it keeps its value
///   from run to run, and starts as zeros.
///
/// A variable that no step of a program uses is never live: tensors are often made only for the
/// shape and tile mapping that others take from them.
/// A function's variables are live as each call needs them. Where programs would become too long if
/// each call stood for all of the function's steps, a function is one step, all of whose variables
/// are live together; so are neighbouring stream copies, which become one transfer.
/// A variable that is a copy (copySources()), and that nobody reads any more when its source is
/// written next, is its source.
Liveness findLiveness(const graph::Model &model, std::span<const graph::ProgramPtr> programs,
                      const VertexIndex &index);

/// Everything is live always.
Liveness nothingShared(const graph::Model &model);

} // namespace copse::compiler
