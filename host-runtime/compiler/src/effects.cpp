#include "effects.hpp"

#include "program_tree.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace copse::compiler {

using graph::OneOf;
using graph::ProgramNode;
using graph::Run;
using graph::VariableId;
using popc::FieldDirection;
namespace kind = graph::kind;

namespace {

/// The limit for the pieces of a variable that a step writes. A step with more pieces is assumed to
/// write no part completely.
constexpr std::size_t kMostWrittenPieces = 1 << 12;

template <class Item> void keepEachOnce(std::vector<Item> &items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

bool isStep(const ProgramNode &node) {
  return !graph::as<kind::Sequence>(node) && !graph::as<kind::Repeat>(node) &&
         !graph::as<kind::Call>(node);
}

/// Returns null if \p node is not an Execute, or if it has a result of its own.
const kind::Execute *plainExecute(const ProgramNode &node) {
  const auto *execute = graph::as<kind::Execute>(node);
  return execute && !execute->result ? execute : nullptr;
}

/// Calls \p f with the runs of each edge of a compute set whose direction \p wanted accepts.
void visitEdges(const graph::Model &model, const VertexIndex &index, std::uint32_t computeSet,
                const auto &wanted, const auto &f) {
  for (const std::uint32_t vertex : index.vertices[computeSet]) {
    const auto &fields = model.vertexTypes[model.vertices[vertex].type].fields;
    for (const std::uint32_t e : index.edges[vertex]) {
      const graph::Edge &edge = model.edges[e];
      if (wanted(fields[edge.field].direction))
        f(std::span(model.runs).subspan(edge.runs.first, edge.runs.count));
    }
  }
}

} // namespace

EffectsOfSteps::EffectsOfSteps(const graph::Model &model, const VertexIndex &index,
                               std::span<const graph::ProgramPtr> programs)
    : model_(model), index_(index) {
  VariableParts::Cuts cuts;
  std::unordered_set<const ProgramNode *> seen;
  const auto look = [&](const ProgramNode &node) {
    if (isStep(node) && seen.insert(&node).second)
      findWrites(node, cuts);
  };
  for (const graph::ProgramPtr &program : programs)
    visitNodes(program, look);
  for (const graph::ProgramPtr &function : model.functions)
    visitNodes(function, look);
  parts_ = VariableParts(model, std::move(cuts));
  limitUndefined(seen);
}

/// Restricts WriteUndef to parts that steps write in pieces; it tells where their lives begin,
/// which the steps do not show. A part that some step writes completely needs no such help, and
/// keeps its value: PopART 2.2 calls WriteUndef for results of operations that it omits, and those
/// may be other names of weights.
void EffectsOfSteps::limitUndefined(const std::unordered_set<const ProgramNode *> &steps) {
  std::vector<const ProgramNode *> undefined;
  for (const ProgramNode *node : steps)
    if (graph::as<kind::WriteUndef>(*node))
      undefined.push_back(node);
  if (undefined.empty())
    return;
  std::vector<PartId> whole;
  for (const ProgramNode *node : steps)
    if (!graph::as<kind::WriteUndef>(*node)) {
      Step pure;
      VariableParts::Cuts unused;
      addWrites(written(*node, Writes::WithoutInOut), pure, unused);
      for (const VariableExtent &extent : pure.kills)
        parts_.addInside(extent.variable, extent.extent, whole);
    }
  keepEachOnce(whole);
  for (const ProgramNode *node : undefined) {
    of(*node);
    std::erase_if(stepOf(*node).effects.kills,
                  [&](PartId part) { return std::ranges::binary_search(whole, part); });
  }
}

EffectsOfSteps::Step &EffectsOfSteps::stepOf(const ProgramNode &node) {
  if (const auto *execute = plainExecute(node))
    return computeSets_[execute->computeSet];
  return steps_[&node];
}

std::vector<Run> EffectsOfSteps::written(const ProgramNode &node, Writes which) const {
  if (const auto *undefined = graph::as<kind::WriteUndef>(node))
    return undefined->tensor.view.elementRuns();
  std::vector<Run> runs;
  if (const auto *execute = graph::as<kind::Execute>(node))
    visitEdges(
        model_, index_, execute->computeSet,
        [&](FieldDirection direction) {
          return which == Writes::All ? direction != FieldDirection::Input
                                      : direction == FieldDirection::Output;
        },
        [&](std::span<const Run> edge) { runs.insert(runs.end(), edge.begin(), edge.end()); });
  if (const graph::TypedView *tensor = writtenTensor(node)) {
    const std::vector<Run> more = tensor->view.elementRuns();
    runs.insert(runs.end(), more.begin(), more.end());
  }
  return runs;
}

void EffectsOfSteps::findWrites(const ProgramNode &node, VariableParts::Cuts &cuts) {
  if (const auto *execute = plainExecute(node);
      execute && computeSets_.contains(execute->computeSet))
    return;
  Step &step = stepOf(node);
  addWrites(written(node, Writes::All), step, cuts);
  if (graph::as<kind::WriteUndef>(node))
    step.effects.writes.clear();
}

void EffectsOfSteps::addWrites(std::vector<Run> runs, Step &step, VariableParts::Cuts &cuts) const {
  std::stable_sort(runs.begin(), runs.end(),
                   [](const Run &a, const Run &b) { return a.variable < b.variable; });
  for (auto first = runs.begin(); first != runs.end();) {
    const VariableId variable = first->variable;
    const auto last =
        std::find_if(first, runs.end(), [&](const Run &run) { return run.variable != variable; });
    step.effects.writes.push_back(variable);
    const std::vector<Extent> extents = coverage({first, last});
    first = last;
    if (extents.size() > kMostWrittenPieces)
      continue;
    for (const Extent &extent : extents) {
      step.kills.push_back({variable, extent});
      if (extent != Extent{0, model_.variables[variable].elements}) {
        std::vector<std::uint64_t> &ofVariable = cuts[variable];
        ofVariable.push_back(extent.begin);
        ofVariable.push_back(extent.end);
      }
    }
  }
}

void EffectsOfSteps::addReads(const graph::View &view, std::vector<PartId> &reads) const {
  for (const Run &run : view.elementRuns())
    parts_.addTouched(run, reads);
}

void EffectsOfSteps::findReads(const ProgramNode &node, std::vector<PartId> &reads) const {
  const auto read = [&](const graph::TypedView &tensor) { addReads(tensor.view, reads); };
  const auto readIfThere = [&](const std::optional<graph::TypedView> &tensor) {
    if (tensor)
      read(*tensor);
  };
  graph::visitKind(
      node,
      [&](const kind::Execute &execute) {
        visitEdges(
            model_, index_, execute.computeSet,
            [](FieldDirection direction) { return direction != FieldDirection::Output; },
            [&](std::span<const Run> edge) {
              for (const Run &run : edge)
                parts_.addTouched(run, reads);
            });
      },
      [&](const OneOf<kind::Copy, kind::CrossReplicaCopy> auto &copy) { read(copy.source); },
      [&](const kind::StreamCopy &copy) {
        if (copy.toHost)
          read(copy.tensor);
      },
      [&](const kind::RemoteCopy &copy) {
        if (copy.toBuffer)
          read(copy.tensor);
        readIfThere(copy.offsets);
      },
      [&](const kind::PrintTensor &print) {
        read(print.tensor);
        readIfThere(print.metadata);
      },
      [&](const kind::AssumeEqual &promise) { read(promise.tensor); },
      [&](const kind::ReadClock &clock) {
        if (clock.difference)
          read(clock.destination);
      },
      [&](const OneOf<kind::RepeatWhile, kind::If> auto &choice) { read(choice.predicate); },
      [&](const kind::Switch &choice) { read(choice.control); },
      [&](const kind::Abort &abort) { readIfThere(abort.predicate); },
      [](const OneOf<kind::Sequence, kind::Repeat, kind::Call, kind::Sync, kind::WriteUndef> auto
             &) {});
}

void EffectsOfSteps::complete(const ProgramNode &node, Step &step) const {
  findReads(node, step.effects.reads);
  keepEachOnce(step.effects.reads);
  for (const VariableExtent &kill : step.kills)
    parts_.addInside(kill.variable, kill.extent, step.effects.kills);
  step.kills = {};
  step.complete = true;
}

const Effects &EffectsOfSteps::of(const ProgramNode &node) {
  Step &step = stepOf(node);
  if (!step.complete)
    complete(node, step);
  return step.effects;
}

} // namespace copse::compiler
