#include "compiler/summaries.hpp"

#include <algorithm>

namespace copse::compiler {

using graph::ProgramNode;
using graph::ProgramPtr;
using graph::VariableId;
using Kind = ProgramNode::Kind;

namespace {

/// In order of their numbers, so that nothing depends on a hash.
std::vector<std::uint32_t> sorted(const std::unordered_set<std::uint32_t> &set) {
  std::vector<std::uint32_t> items(set.begin(), set.end());
  std::sort(items.begin(), items.end());
  return items;
}

} // namespace

Summaries::Summaries(const graph::Model &model, EffectsOfSteps &effects)
    : model_(model), effects_(effects), functions_(model.functions.size()) {}

Summary Summaries::of(const ProgramNode *program) {
  Walk whole;
  walk(program, whole);
  return {sorted(whole.reads), sorted(whole.killed), sorted(whole.touches),
          sorted(whole.computeSets)};
}

const Summary &Summaries::ofFunction(std::uint32_t function) {
  if (!functions_[function]) {
    Summary summary = of(model_.functions[function].get());
    functions_[function] = std::move(summary);
  }
  return *functions_[function];
}

void Summaries::add(const Effects &effects, Walk &walk) {
  for (const VariableId v : effects.reads) {
    walk.touches.insert(v);
    if (!walk.killed.contains(v))
      walk.reads.insert(v);
  }
  walk.touches.insert(effects.writes.begin(), effects.writes.end());
  walk.killed.insert(effects.kills.begin(), effects.kills.end());
}

void Summaries::walk(const ProgramNode *program, Walk &walk) {
  if (!program)
    return;
  const ProgramNode &node = *program;
  switch (node.kind) {
  case Kind::Sequence:
    for (const ProgramPtr &child : node.children)
      this->walk(child.get(), walk);
    return;
  case Kind::Repeat:
    return walkAlternatives(node.children, node.index == 0, walk);
  case Kind::RepeatWhile:
    this->walk(node.children[0].get(), walk);
    add(effects_.of(node), walk);
    return walkAlternatives(std::span(node.children).subspan(1), true, walk);
  case Kind::If:
    add(effects_.of(node), walk);
    return walkAlternatives(node.children, false, walk);
  case Kind::Switch:
    add(effects_.of(node), walk);
    return walkAlternatives(node.children, node.children.size() == node.caseValues.size(), walk);
  case Kind::Call: {
    const Summary &function = ofFunction(node.index);
    add({function.reads, function.touches, function.kills}, walk);
    walk.computeSets.insert(function.computeSets.begin(), function.computeSets.end());
    return;
  }
  case Kind::Execute:
    walk.computeSets.insert(node.computeSet);
    return add(effects_.of(node), walk);
  default:
    return add(effects_.of(node), walk);
  }
}

void Summaries::walkAlternatives(std::span<const ProgramPtr> programs, bool orNone, Walk &walk) {
  const Variables before = walk.killed;
  std::optional<Variables> inAll;
  for (const ProgramPtr &program : programs) {
    walk.killed = before;
    this->walk(program.get(), walk);
    if (!inAll)
      inAll = walk.killed;
    else
      std::erase_if(*inAll, [&](VariableId v) { return !walk.killed.contains(v); });
  }
  walk.killed = orNone || !inAll ? before : std::move(*inAll);
}

} // namespace copse::compiler
