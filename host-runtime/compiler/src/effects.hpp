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

/// What one step of a program does to variables. Each list is ascending and names nothing twice.
struct Effects {
  std::vector<PartId> reads;             ///< some element, or all
  std::vector<graph::VariableId> writes; ///< some element, or all
  /// Their old contents do not matter to what comes after: every element is written, or WriteUndef
  /// says so, of a part that no step writes as a whole without reading it.
  std::vector<PartId> kills;
};

/// Finds what the programs' steps do. A step reads all that it reads before it writes.
class EffectsOfSteps {
public:
  /// Looks at the writes of all steps of \p programs, and of all functions, to find the parts.
  EffectsOfSteps(const graph::Model &model, const VertexIndex &index,
                 std::span<const graph::ProgramPtr> programs);

  const VariableParts &parts() const { return parts_; }

  /// \param node  one of the programs or functions: not a Sequence, Repeat or Call; of If, Switch
  /// and RepeatWhile the predicate alone
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
  std::unordered_map<std::uint32_t, Step> computeSets_; ///< executed without a result
  std::unordered_map<const graph::ProgramNode *, Step> steps_;
};

} // namespace copse::compiler
