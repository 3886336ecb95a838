#pragma once

#include "graph/model.hpp"

#include <vector>

/// How the compiler's passes walk program trees.
namespace copse::compiler {

inline bool isStreamCopy(const graph::ProgramNode &node) {
  using Kind = graph::ProgramNode::Kind;
  return node.kind == Kind::StreamToTensor || node.kind == Kind::TensorToStream;
}

/// Appends what a sequence runs, in order. Nested sequences are one sequence; so stream copies of
/// neighbouring ones meet.
inline void flatten(const graph::ProgramNode &sequence,
                    std::vector<const graph::ProgramNode *> &leaves) {
  for (const graph::ProgramPtr &child : sequence.children) {
    if (!child)
      continue;
    if (child->kind == graph::ProgramNode::Kind::Sequence)
      flatten(*child, leaves);
    else
      leaves.push_back(child.get());
  }
}

/// Calls \p f for every node of a tree, parents first.
void visitNodes(const graph::ProgramPtr &program, const auto &f) {
  if (!program)
    return;
  f(*program);
  for (const graph::ProgramPtr &child : program->children)
    visitNodes(child, f);
}

} // namespace copse::compiler
