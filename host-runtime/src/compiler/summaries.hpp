#pragma once

#include "compiler/effects.hpp"
#include "graph/model.hpp"

#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

namespace copse::compiler {

/// What a part of a program does as a whole.
struct Summary {
  std::vector<graph::VariableId> reads;   ///< contents from before that may be read
  std::vector<graph::VariableId> kills;   ///< certainly overwritten, or given up
  std::vector<graph::VariableId> touches; ///< all variables that it reads or writes
  std::vector<std::uint32_t> computeSets; ///< all that it executes
};

/// Summaries of parts of programs, walked forwards. A read counts if some way through the part
/// comes to it without an overwriting step before.
class Summaries {
public:
  Summaries(const graph::Model &model, EffectsOfSteps &effects);

  Summary of(const graph::ProgramNode *program);
  const Summary &ofFunction(std::uint32_t function);

private:
  using Variables = std::unordered_set<graph::VariableId>;
  struct Walk {
    Variables reads, killed, touches;
    std::unordered_set<std::uint32_t> computeSets;
  };

  void walk(const graph::ProgramNode *program, Walk &walk);
  void walkAlternatives(std::span<const graph::ProgramPtr> programs, bool orNone, Walk &walk);
  void add(const Effects &effects, Walk &walk);

  const graph::Model &model_;
  EffectsOfSteps &effects_;
  std::vector<std::optional<Summary>> functions_;
};

} // namespace copse::compiler
