#pragma once

#include "effects.hpp"

#include "graph/model.hpp"

#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace copse::compiler {

/// What a piece of a program does as a whole.
struct Summary {
  std::vector<PartId> reads;              ///< contents from before that may be read
  std::vector<PartId> kills;              ///< certainly overwritten, or given up
  std::vector<graph::VariableId> touches; ///< all variables that it reads or writes
  std::vector<std::uint32_t> computeSets; ///< all that it executes
};

/// Summaries of pieces of programs, walked forwards. A read counts if some way through the piece
/// comes to it without an overwriting step before.
class Summaries {
public:
  Summaries(const graph::Model &model, EffectsOfSteps &effects);

  /// \param node  a loop, or null; asked for again, it costs nothing
  const Summary &of(const graph::ProgramNode *node);
  const Summary &ofFunction(std::uint32_t function);

private:
  using Parts = std::unordered_set<PartId>;
  struct Walk {
    Parts reads, killed;
    std::unordered_set<graph::VariableId> touches;
    std::unordered_set<std::uint32_t> computeSets;
  };

  Summary find(const graph::ProgramNode *program);
  void walk(const graph::ProgramNode *program, Walk &walk);
  void walkInside(const graph::ProgramNode &node, Walk &walk);
  void walkAlternatives(std::span<const graph::ProgramPtr> programs, bool orNone, Walk &walk);
  void read(const std::vector<PartId> &parts, Walk &walk) const;
  void add(const Effects &effects, Walk &walk) const;
  void add(const Summary &summary, Walk &walk) const;

  const graph::Model &model_;
  EffectsOfSteps &effects_;
  std::unordered_map<const graph::ProgramNode *, Summary> loops_;
  std::vector<std::optional<Summary>> functions_;
};

} // namespace copse::compiler
