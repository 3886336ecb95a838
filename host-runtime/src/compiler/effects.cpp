#include "compiler/effects.hpp"

#include "compiler/coverage.hpp"

#include <algorithm>

namespace copse::compiler {

using codelets::FieldDirection;
using graph::ProgramNode;
using graph::Run;
using graph::VariableId;
using Kind = ProgramNode::Kind;

namespace {

void keepEachOnce(std::vector<VariableId> &variables) {
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
}

} // namespace

EffectsOfSteps::EffectsOfSteps(const graph::Model &model, const VertexIndex &index)
    : model_(model), index_(index), computeSets_(model.computeSets.size()) {}

void EffectsOfSteps::addReads(const graph::View &view, Effects &effects) const {
  for (const Run &run : view.elementRuns())
    effects.reads.push_back(run.variable);
  keepEachOnce(effects.reads);
}

void EffectsOfSteps::addWrites(std::vector<Run> runs, Effects &effects) const {
  std::stable_sort(runs.begin(), runs.end(),
                   [](const Run &a, const Run &b) { return a.variable < b.variable; });
  for (auto first = runs.begin(); first != runs.end();) {
    const VariableId variable = first->variable;
    const auto last =
        std::find_if(first, runs.end(), [&](const Run &run) { return run.variable != variable; });
    effects.writes.push_back(variable);
    if (coverAll({first, last}, model_.variables[variable].elements))
      effects.kills.push_back(variable);
    first = last;
  }
}

Effects EffectsOfSteps::findComputeSet(std::uint32_t computeSet) {
  Effects effects;
  std::vector<Run> written;
  for (const std::uint32_t vertex : index_.vertices[computeSet]) {
    const auto &fields = model_.vertexTypes[model_.vertices[vertex].type].fields;
    for (const std::uint32_t e : index_.edges[vertex]) {
      const graph::Edge &edge = model_.edges[e];
      const FieldDirection direction = fields[edge.field].direction;
      const auto first = model_.runs.begin() + static_cast<std::ptrdiff_t>(edge.runs.first);
      const auto last = first + edge.runs.count;
      if (direction != FieldDirection::Output)
        for (auto run = first; run != last; ++run)
          if (effects.reads.empty() || effects.reads.back() != run->variable)
            effects.reads.push_back(run->variable);
      if (direction != FieldDirection::Input)
        written.insert(written.end(), first, last);
    }
  }
  keepEachOnce(effects.reads);
  addWrites(std::move(written), effects);
  return effects;
}

const Effects &EffectsOfSteps::ofComputeSet(std::uint32_t computeSet) {
  std::optional<Effects> &known = computeSets_[computeSet];
  if (!known)
    known = findComputeSet(computeSet);
  return *known;
}

Effects EffectsOfSteps::of(const ProgramNode &node) {
  Effects effects;
  switch (node.kind) {
  case Kind::Execute:
    effects = ofComputeSet(node.computeSet);
    // The result is written after the vertices have run; it counts as a part of its variable.
    if (node.hasPredicate)
      for (const Run &run : node.predicate.view.elementRuns())
        effects.writes.push_back(run.variable);
    keepEachOnce(effects.writes);
    return effects;
  case Kind::WriteUndef:
    addWrites(node.source.view.elementRuns(), effects);
    effects.writes.clear();
    return effects;
  case Kind::Copy:
  case Kind::CrossReplicaCopy:
  case Kind::StreamToTensor:
  case Kind::TensorToStream:
  case Kind::RemoteToTensor:
  case Kind::TensorToRemote:
  case Kind::PrintTensor:
    addReads(node.source.view, effects);
    addWrites(node.destination.view.elementRuns(), effects);
    break;
  case Kind::ReadClock:
    if (node.flag)
      addReads(node.destination.view, effects);
    addWrites(node.destination.view.elementRuns(), effects);
    break;
  case Kind::AssumeEqual:
    addReads(node.source.view, effects);
    break;
  case Kind::Sequence:
  case Kind::Repeat:
  case Kind::Call:
  case Kind::RepeatWhile:
  case Kind::If:
  case Kind::Switch:
  case Kind::Sync:
  case Kind::Abort:
    break;
  }
  if (node.hasPredicate)
    addReads(node.predicate.view, effects);
  return effects;
}

} // namespace copse::compiler
