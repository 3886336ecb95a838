#include "graph/program_references.hpp"

#include "poplar/exceptions.hpp"

#include <algorithm>
#include <unordered_set>

namespace copse::graph {

namespace {

class ReferenceCheck {
public:
  explicit ReferenceCheck(const Model &model) : model_(model) {}

  void check(const ProgramNode *node) {
    if (node == nullptr || !seen_.insert(node).second)
      return;
    checkNode(*node);
    visitChildren(*node, [this](const ProgramPtr &child) { check(child.get()); });
  }

private:
  void checkNode(const ProgramNode &node) const {
    const auto requireIndex = [&](std::size_t index, const auto &list, const char *what) {
      require(node, index < list.size(), what);
    };
    visitKind(
        node,
        [&](const kind::Execute &execute) {
          requireIndex(execute.computeSet, model_.computeSets, "compute set");
        },
        [&](const kind::Call &call) { requireIndex(call.function, model_.functions, "function"); },
        [&](const kind::StreamCopy &copy) { requireIndex(copy.stream, model_.streams, "stream"); },
        [&](const kind::RemoteCopy &copy) {
          requireIndex(copy.buffer, model_.remoteBuffers, "remote buffer");
        },
        [](const OneOf<kind::Sequence, kind::Copy, kind::Repeat, kind::RepeatWhile, kind::If,
                       kind::Switch, kind::PrintTensor, kind::Sync, kind::WriteUndef,
                       kind::CrossReplicaCopy, kind::AssumeEqual, kind::Abort, kind::ReadClock> auto
               &) {});
    visitTensors(node,
                 [&](const TypedView &tensor) { require(node, isHere(tensor.view), "tensor"); });
  }

  bool isHere(const View &view) const {
    return view.numElements() == 0 ||
           std::ranges::all_of(view.elementRuns(), [&](const Run &run) { return isHere(run); });
  }

  bool isHere(const Run &run) const {
    if (run.variable >= model_.variables.size())
      return false;
    const auto first = static_cast<std::int64_t>(run.begin);
    const std::int64_t last = first + static_cast<std::int64_t>(run.count - 1) * run.stride;
    const auto elements = static_cast<std::int64_t>(model_.variables[run.variable].elements);
    return std::max(first, last) < elements && std::min(first, last) >= 0;
  }

  static void require(const ProgramNode &node, bool holds, const char *what) {
    if (!holds)
      throw poplar::control_program_error(
          (node.name.empty() ? std::string("a program") : "program '" + node.name + "'") +
          " refers to a " + what +
          " that the graph does not have; make both with the same Graph object");
  }

  const Model &model_;
  std::unordered_set<const ProgramNode *> seen_;
};

} // namespace

void checkReferences(const Model &model, std::span<const ProgramPtr> programs) {
  ReferenceCheck references(model);
  for (const ProgramPtr &program : programs)
    references.check(program.get());
  for (const ProgramPtr &function : model.functions)
    references.check(function.get());
}

} // namespace copse::graph
