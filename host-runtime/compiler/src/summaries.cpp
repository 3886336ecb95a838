#include "summaries.hpp"

#include "program_tree.hpp"

#include <algorithm>

namespace copse::compiler {

using graph::ProgramNode;
using graph::ProgramPtr;
using graph::VariableId;
namespace kind = graph::kind;

namespace {

/// Sorts by number, so that results do not depend on hashes.
std::vector<std::uint32_t> sorted(const std::unordered_set<std::uint32_t> &set) {
  std::vector<std::uint32_t> items(set.begin(), set.end());
  std::sort(items.begin(), items.end());
  return items;
}

bool isLoop(const ProgramNode &node) {
  return graph::as<kind::Repeat>(node) || graph::as<kind::RepeatWhile>(node);
}

} // namespace

Summaries::Summaries(const graph::Model &model, EffectsOfSteps &effects)
    : model_(model), effects_(effects), functions_(model.functions.size()) {}

Summary Summaries::find(const ProgramNode *program) {
  Walk whole;
  if (program && isLoop(*program))
    walkInside(*program, whole);
  else
    walk(program, whole);
  return {sorted(whole.reads), sorted(whole.killed), sorted(whole.touches),
          sorted(whole.computeSets)};
}

const Summary &Summaries::of(const ProgramNode *node) {
  if (const auto known = loops_.find(node); known != loops_.end())
    return known->second;
  Summary summary = find(node);
  return loops_.emplace(node, std::move(summary)).first->second;
}

const Summary &Summaries::ofFunction(std::uint32_t function) {
  if (!functions_[function]) {
    Summary summary = find(model_.functions[function].get());
    functions_[function] = std::move(summary);
  }
  return *functions_[function];
}

void Summaries::read(const std::vector<PartId> &parts, Walk &walk) const {
  for (const PartId part : parts)
    if (!walk.killed.contains(part))
      walk.reads.insert(part);
}

void Summaries::add(const Effects &effects, Walk &walk) const {
  read(effects.reads, walk);
  for (const PartId part : effects.reads)
    walk.touches.insert(effects_.parts().variableOf(part));
  walk.touches.insert(effects.writes.begin(), effects.writes.end());
  walk.killed.insert(effects.kills.begin(), effects.kills.end());
}

void Summaries::add(const Summary &summary, Walk &walk) const {
  read(summary.reads, walk);
  walk.touches.insert(summary.touches.begin(), summary.touches.end());
  walk.killed.insert(summary.kills.begin(), summary.kills.end());
  walk.computeSets.insert(summary.computeSets.begin(), summary.computeSets.end());
}

void Summaries::walk(const ProgramNode *program, Walk &walk) {
  if (!program)
    return;
  const ProgramNode &node = *program;
  graph::visitKind(
      node,
      [&](const kind::Sequence &sequence) {
        for (const ProgramPtr &child : sequence.programs)
          this->walk(child.get(), walk);
      },
      [&](const graph::OneOf<kind::Repeat, kind::RepeatWhile> auto &) { add(of(program), walk); },
      [&](const graph::OneOf<kind::If, kind::Switch> auto &) {
        add(effects_.of(node), walk);
        walkAlternatives(branchesOf(node), false, walk);
      },
      [&](const kind::Call &call) { add(ofFunction(call.function), walk); },
      [&](const kind::Execute &execute) {
        walk.computeSets.insert(execute.computeSet);
        add(effects_.of(node), walk);
      },
      [&](const graph::OneOf<kind::Copy, kind::StreamCopy, kind::RemoteCopy, kind::PrintTensor,
                             kind::Sync, kind::WriteUndef, kind::CrossReplicaCopy,
                             kind::AssumeEqual, kind::Abort, kind::ReadClock> auto &) {
        add(effects_.of(node), walk);
      });
}

/// Summarises a loop.
void Summaries::walkInside(const ProgramNode &node, Walk &walk) {
  if (const auto *repeat = graph::as<kind::Repeat>(node))
    return walkAlternatives({&repeat->body, 1}, repeat->count == 0, walk);
  const auto &loop = std::get<kind::RepeatWhile>(node.kind);
  this->walk(loop.condition.get(), walk);
  add(effects_.of(node), walk);
  walkAlternatives({&loop.body, 1}, true, walk);
}

void Summaries::walkAlternatives(std::span<const ProgramPtr> programs, bool orNone, Walk &walk) {
  const Parts before = walk.killed;
  std::optional<Parts> inAll;
  for (const ProgramPtr &program : programs) {
    walk.killed = before;
    this->walk(program.get(), walk);
    if (!inAll)
      inAll = walk.killed;
    else
      std::erase_if(*inAll, [&](PartId part) { return !walk.killed.contains(part); });
  }
  walk.killed = orNone || !inAll ? before : std::move(*inAll);
}

} // namespace copse::compiler
