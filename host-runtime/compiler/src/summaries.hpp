#pragma once

#include "effects.hpp"

#include "graph/model.hpp"

#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace copse::compiler {

/// The combined effects of a piece of a program.
struct Summary {
  std::vector<PartId> reads;              ///< old contents that may be read
  std::vector<PartId> kills;              ///< certainly overwritten or discarded
  std::vector<graph::VariableId> touches; ///< all variables that are read or written
  std::vector<std::uint32_t> computeSets; ///< all that are executed
};

/// Summarises pieces of programs by walking forwards. A read counts if it can be reached without a
/// preceding overwrite.
class Summaries {
public:
  Summaries(const graph::Model &model, EffectsOfSteps &effects);

  /// \param node  a loop, or null. The result is cached
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
