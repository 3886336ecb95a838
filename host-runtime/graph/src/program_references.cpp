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
    for (const ProgramPtr &child : node->children)
      check(child.get());
  }

private:
  void checkNode(const ProgramNode &node) const {
    using Kind = ProgramNode::Kind;
    switch (node.kind) {
    case Kind::Execute:
      require(node, node.computeSet < model_.computeSets.size(), "compute set");
      break;
    case Kind::Call:
      require(node, node.index < model_.functions.size(), "function");
      break;
    case Kind::StreamToTensor:
    case Kind::TensorToStream:
      require(node, node.index < model_.streams.size(), "stream");
      break;
    case Kind::RemoteToTensor:
    case Kind::TensorToRemote:
      require(node, node.index < model_.remoteBuffers.size(), "remote buffer");
      break;
    default:
      break;
    }
    for (const TypedView *const view : {&node.source, &node.destination, &node.predicate})
      require(node, isHere(view->view), "tensor");
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
