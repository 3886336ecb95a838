#pragma once

#include "graph/model.hpp"

#include <span>
#include <unordered_set>
#include <vector>

/// Functions by which the compiler's passes walk program trees.
namespace copse::compiler {

inline bool isStreamCopy(const graph::ProgramNode &node) {
  return graph::as<graph::kind::StreamCopy>(node) != nullptr;
}

/// Appends the programs of a sequence in order. Nested sequences are flattened, so that stream
/// copies of adjacent sequences become adjacent; a block is kept as one leaf.
inline void flatten(const graph::kind::Sequence &sequence,
                    std::vector<const graph::ProgramNode *> &leaves) {
  for (const graph::ProgramPtr &child : sequence.programs) {
    if (!child)
      continue;
    if (const auto *inner = graph::as<graph::kind::Sequence>(*child); inner && !inner->isBlock)
      flatten(*inner, leaves);
    else
      leaves.push_back(child.get());
  }
}

/// Returns the tensor that \p node itself writes, or null. Writes of vertices do not count, nor
/// WriteUndef, which writes no value.
inline const graph::TypedView *writtenTensor(const graph::ProgramNode &node) {
  using namespace graph;
  using Tensor = const TypedView *;
  return visitKind(
      node,
      [](const kind::Execute &what) -> Tensor { return what.result ? &*what.result : nullptr; },
      [](const OneOf<kind::Copy, kind::CrossReplicaCopy, kind::ReadClock> auto &what) -> Tensor {
        return &what.destination;
      },
      [](const kind::StreamCopy &what) -> Tensor { return what.toHost ? nullptr : &what.tensor; },
      [](const kind::RemoteCopy &what) -> Tensor { return what.toBuffer ? nullptr : &what.tensor; },
      [](const OneOf<kind::Sequence, kind::Repeat, kind::RepeatWhile, kind::If, kind::Switch,
                     kind::Call, kind::PrintTensor, kind::Sync, kind::WriteUndef, kind::AssumeEqual,
                     kind::Abort> auto &) -> Tensor { return nullptr; });
}

/// Returns the branches of an If or a Switch, of which exactly one runs; a null branch does
/// nothing.
inline std::vector<graph::ProgramPtr> branchesOf(const graph::ProgramNode &node) {
  std::vector<graph::ProgramPtr> branches;
  visitChildren(node, [&](const graph::ProgramPtr &child) { branches.push_back(child); });
  return branches;
}

/// Calls \p f for every node of a tree, parents first.
void visitNodes(const graph::ProgramPtr &program, const auto &f) {
  if (!program)
    return;
  f(*program);
  visitChildren(*program, [&](const graph::ProgramPtr &child) { visitNodes(child, f); });
}

/// Returns for each compute set of \p model whether one of \p programs may execute it.
inline std::vector<bool> executedComputeSets(const graph::Model &model,
                                             std::span<const graph::ProgramPtr> programs) {
  std::vector<bool> executed(model.computeSets.size(), false);
  // Needed because functions may be called from several places.
  std::unordered_set<const graph::ProgramNode *> visited;
  const auto visit = [&](const graph::ProgramPtr &program, const auto &self) -> void {
    if (!program || !visited.insert(program.get()).second)
      return;
    if (const auto *execute = graph::as<graph::kind::Execute>(*program))
      executed[execute->computeSet] = true;
    if (const auto *call = graph::as<graph::kind::Call>(*program))
      self(model.functions[call->function], self);
    visitChildren(*program, [&](const graph::ProgramPtr &child) { self(child, self); });
  };
  for (const graph::ProgramPtr &program : programs)
    visit(program, visit);
  return executed;
}

} // namespace copse::compiler
