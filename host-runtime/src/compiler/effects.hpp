#pragma once

#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace copse::compiler {

/// What one step of a program does to variables. Each list names a variable once.
struct Effects {
  std::vector<graph::VariableId> reads;
  std::vector<graph::VariableId> writes; ///< some element, or all
  /// Their old contents do not matter to what comes after: every element is written, or WriteUndef
  /// says so.
  std::vector<graph::VariableId> kills;
};

/// Finds what the programs' steps do. A step reads all that it reads before it writes.
class EffectsOfSteps {
public:
  EffectsOfSteps(const graph::Model &model, const VertexIndex &index);

  /// \param node  not a Sequence, Repeat or Call; of If, Switch and RepeatWhile the predicate alone
  Effects of(const graph::ProgramNode &node);

private:
  const Effects &ofComputeSet(std::uint32_t computeSet);
  Effects findComputeSet(std::uint32_t computeSet);
  void addReads(const graph::View &view, Effects &effects) const;
  void addWrites(std::vector<graph::Run> runs, Effects &effects) const;

  const graph::Model &model_;
  const VertexIndex &index_;
  std::vector<std::optional<Effects>> computeSets_; ///< those that were asked for
};

} // namespace copse::compiler
