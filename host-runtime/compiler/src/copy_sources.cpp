#include "copy_sources.hpp"

#include "program_tree.hpp"

#include "graph/run_list.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace copse::compiler {

using graph::Model;
using graph::ProgramNode;
using graph::Run;
using graph::Variable;
using graph::VariableId;

namespace {

/// Records which steps write which variables.
class Writers {
public:
  explicit Writers(const Model &model)
      : sources_(model.variables.size(), kNoSource), others_(model.variables.size(), false) {}

  void addCopy(const graph::kind::Copy &copy) {
    const std::vector<Run> from = copy.source.view.runs(), to = copy.destination.view.runs();
    for (std::size_t i = 0; i < to.size(); ++i)
      if (i < from.size() && sameElements(from[i], to[i])) {
        note(to[i].variable, from[i].variable);
      } else { // the two are no longer aligned
        addOther(std::span(to).subspan(i));
        return;
      }
  }
  void addOther(std::span<const Run> runs) {
    for (const Run &run : runs)
      others_[run.variable] = true;
  }
  void exclude(VariableId variable) { others_[variable] = true; }

  VariableId sourceOf(VariableId variable) const {
    return others_[variable] ? kNoSource : sources_[variable];
  }

private:
  static bool sameElements(const Run &a, const Run &b) {
    return a.begin == b.begin && a.count == b.count && a.stride == b.stride;
  }
  void note(VariableId variable, VariableId source) {
    if (sources_[variable] != kNoSource && sources_[variable] != source)
      others_[variable] = true;
    sources_[variable] = source;
  }

  std::vector<VariableId> sources_;
  std::vector<bool> others_; ///< written by anything but copies of one variable
};

void addStep(const ProgramNode &node, Writers &writers) {
  if (const auto *copy = graph::as<graph::kind::Copy>(node))
    writers.addCopy(*copy);
  else if (const graph::TypedView *written = writtenTensor(node))
    writers.addOther(written->view.elementRuns());
}

void addVertices(const Model &model, const VertexIndex &index, Writers &writers) {
  for (std::uint32_t vertex = 0; vertex < model.vertices.size(); ++vertex) {
    const auto &fields = model.vertexTypes[model.vertices[vertex].type].fields;
    for (const std::uint32_t e : index.edges[vertex]) {
      const graph::Edge &edge = model.edges[e];
      if (fields[edge.field].direction != popc::FieldDirection::Input)
        writers.addOther(std::span(model.runs).subspan(edge.runs.first, edge.runs.count));
    }
  }
}

bool sameLayout(const Model &model, const Variable &a, const Variable &b) {
  return a.elements == b.elements &&
         graph::elementBytes(model, a.type) == graph::elementBytes(model, b.type) &&
         a.tiles.pieces(0, a.elements) == b.tiles.pieces(0, b.elements);
}

} // namespace

std::vector<VariableId> copySources(const Model &model, std::span<const graph::ProgramPtr> programs,
                                    const VertexIndex &index) {
  Writers writers(model);
  std::unordered_set<const ProgramNode *> seen;
  const auto look = [&](const ProgramNode &node) {
    if (seen.insert(&node).second)
      addStep(node, writers);
  };
  for (const graph::ProgramPtr &program : programs)
    visitNodes(program, look);
  for (const graph::ProgramPtr &function : model.functions)
    visitNodes(function, look);
  addVertices(model, index, writers);
  for (const auto &[name, variable] : model.tileRegisters)
    writers.exclude(variable);

  std::vector<VariableId> sources(model.variables.size(), kNoSource);
  for (VariableId v = 0; v < sources.size(); ++v) {
    const VariableId source = writers.sourceOf(v);
    if (source != kNoSource && source != v && writers.sourceOf(source) == kNoSource &&
        sameLayout(model, model.variables[source], model.variables[v]))
      sources[v] = source;
  }
  return sources;
}

} // namespace copse::compiler
