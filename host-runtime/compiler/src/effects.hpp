#pragma once

#include "coverage.hpp"
#include "variable_parts.hpp"

#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace copse::compiler {

/// The effects of one program step on variables. Each list is ascending, without repeats.
struct Effects {
  std::vector<PartId> reads;             ///< some or all elements
  std::vector<graph::VariableId> writes; ///< some or all elements
  /// The parts whose old contents do not matter afterwards: every element is written, or WriteUndef
  /// says so for a part that no step overwrites completely without reading it.
  std::vector<PartId> kills;
};

/// Liveness needs to know which parts of variables a step reads, writes and overwrites completely.
/// This class finds these effects for the programs' steps. A step does all its reads before its
/// writes.
///
/// Life: the constructor analyses all writes, which determine the parts; of() then computes the
/// effects of a step when they are first needed, and keeps them.
class EffectsOfSteps {
public:
  /// Analyses the writes of all steps of \p programs, and of all functions, to find the parts.
  EffectsOfSteps(const graph::Model &model, const VertexIndex &index,
                 std::span<const graph::ProgramPtr> programs);

  const VariableParts &parts() const { return parts_; }

  /// \param node  in a program or function; not a Sequence, Repeat or Call. For If, Switch and
  ///   RepeatWhile, the result has the predicate only
  const Effects &of(const graph::ProgramNode &node);

private:
  struct VariableExtent {
    graph::VariableId variable;
    Extent extent;
  };
  struct Step {
    Effects effects;
    std::vector<VariableExtent> kills; ///< until there are parts
    bool complete = false;
  };

  Step &stepOf(const graph::ProgramNode &node);
  void findWrites(const graph::ProgramNode &node, VariableParts::Cuts &cuts);
  enum class Writes : std::uint8_t { All, WithoutInOut };
  std::vector<graph::Run> written(const graph::ProgramNode &node, Writes which) const;
  void limitUndefined(const std::unordered_set<const graph::ProgramNode *> &steps);
  void addWrites(std::vector<graph::Run> runs, Step &step, VariableParts::Cuts &cuts) const;
  void findReads(const graph::ProgramNode &node, std::vector<PartId> &reads) const;
  void addReads(const graph::View &view, std::vector<PartId> &reads) const;
  void complete(const graph::ProgramNode &node, Step &step) const;

  const graph::Model &model_;
  const VertexIndex &index_;
  VariableParts parts_;
  /// Compute sets executed without a result.
  std::unordered_map<std::uint32_t, Step> computeSets_;
  std::unordered_map<const graph::ProgramNode *, Step> steps_;
};

} // namespace copse::compiler
