#include "graph_impl.hpp"
#include "program_order.hpp"
#include "tensor_checks.hpp"

#include "graph/access.hpp"
#include "graph/types.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

#include <map>
#include <ostream>
#include <set>

/// Writes graphs in the language of Graphviz's dot.
namespace poplar {

using copse::graph::Edge;
using copse::graph::Model;
using copse::graph::VariableId;
using copse::popc::FieldDirection;

namespace {

std::vector<std::uint32_t> orderOf(const Model &model, ArrayRef<program::Program> programs) {
  std::vector<copse::graph::ProgramPtr> nodes;
  for (const program::Program &program : programs) {
    nodes.push_back(copse::graph::nodeOf(program));
  }
  return copse::graph::computeSetsOf(model, nodes);
}

/// Returns a quoted string of that language.
std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

FieldDirection directionOf(const Model &model, const Edge &edge) {
  return model.vertexTypes[model.vertices[edge.vertex].type].fields[edge.field].direction;
}

std::set<VariableId> variablesOf(const Model &model, const Edge &edge) {
  std::set<VariableId> variables;
  for (std::uint32_t i = 0; i < edge.runs.count; ++i) {
    variables.insert(model.runs[edge.runs.first + i].variable);
  }
  return variables;
}

void writeVariables(const Model &model, const std::set<VariableId> &ids, std::ostream &out) {
  for (const VariableId id : ids) {
    const auto &variable = model.variables[id];
    out << "  var" << id << " [label="
        << quoted(variable.name + '\n' + copse::graph::nameOf(variable.type) +
                  copse::graph::shapeText(variable.shape))
        << "];\n";
  }
}

/// Writes arrows between \p node, which represents an edge's vertex, and a variable.
void writeArrows(FieldDirection direction, const std::string &node, VariableId variable,
                 const std::string &attributes, std::ostream &out) {
  if (direction != FieldDirection::Output) {
    out << "  var" << variable << " -> " << node << attributes << ";\n";
  }
  if (direction != FieldDirection::Input) {
    out << "  " << node << " -> var" << variable << attributes << ";\n";
  }
}

} // namespace

void Graph::outputComputeGraph(std::ostream &out, ArrayRef<program::Program> programs) const {
  const Model &model = impl().model();
  const auto order = orderOf(model, programs);
  std::map<std::uint32_t, std::size_t> vertices;
  for (const std::uint32_t set : order) {
    vertices[set] = 0;
  }
  for (const auto &vertex : model.vertices) {
    if (const auto set = vertices.find(vertex.computeSet); set != vertices.end()) {
      ++set->second;
    }
  }
  std::set<VariableId> variables;
  std::set<std::tuple<std::uint32_t, VariableId, FieldDirection>> arrows;
  for (const Edge &edge : model.edges) {
    const std::uint32_t set = model.vertices[edge.vertex].computeSet;
    if (vertices.count(set) == 0) {
      continue;
    }
    for (const VariableId variable : variablesOf(model, edge)) {
      variables.insert(variable);
      arrows.emplace(set, variable, directionOf(model, edge));
    }
  }
  out << "digraph computeGraph {\n";
  for (const std::uint32_t set : order) {
    out << "  cs" << set << " [shape=box, label="
        << quoted(model.computeSets[set].name + '\n' + std::to_string(vertices[set]) + " vertices")
        << "];\n";
  }
  writeVariables(model, variables, out);
  for (const auto &[set, variable, direction] : arrows) {
    writeArrows(direction, "cs" + std::to_string(set), variable, "", out);
  }
  out << "}\n";
}

void Graph::outputVertexGraph(std::ostream &out, ArrayRef<program::Program> programs) const {
  const Model &model = impl().model();
  const auto order = orderOf(model, programs);
  std::vector<std::vector<std::uint32_t>> members(model.computeSets.size());
  for (std::uint32_t v = 0; v < model.vertices.size(); ++v) {
    members[model.vertices[v].computeSet].push_back(v);
  }
  const std::set<std::uint32_t> wanted(order.begin(), order.end());
  const auto isWanted = [&](const Edge &edge) {
    return wanted.count(model.vertices[edge.vertex].computeSet) != 0;
  };
  out << "digraph vertexGraph {\n";
  for (const std::uint32_t set : order) {
    out << "  subgraph cluster_cs" << set << " {\n    label=" << quoted(model.computeSets[set].name)
        << ";\n";
    for (const std::uint32_t v : members[set]) {
      const auto &vertex = model.vertices[v];
      const std::string tile =
          vertex.tile == copse::graph::kNoTile ? "no tile" : "tile " + std::to_string(vertex.tile);
      out << "    v" << v
          << " [shape=box, label=" << quoted(model.vertexTypes[vertex.type].name + '\n' + tile)
          << "];\n";
    }
    out << "  }\n";
  }
  std::set<VariableId> variables;
  for (const Edge &edge : model.edges) {
    if (isWanted(edge)) {
      variables.merge(variablesOf(model, edge));
    }
  }
  writeVariables(model, variables, out);
  for (const Edge &edge : model.edges) {
    if (!isWanted(edge)) {
      continue;
    }
    const auto &field = model.vertexTypes[model.vertices[edge.vertex].type].fields[edge.field];
    for (const VariableId variable : variablesOf(model, edge)) {
      writeArrows(field.direction, "v" + std::to_string(edge.vertex), variable,
                  " [label=" + quoted(field.name) + "]", out);
    }
  }
  out << "}\n";
}

} // namespace poplar
