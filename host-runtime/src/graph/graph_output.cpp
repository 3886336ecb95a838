#include "graph/access.hpp"
#include "graph/graph_impl.hpp"

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

namespace poplar {

using copse::graph::kNoTile;
using copse::graph::Model;
using copse::graph::nodeOf;
using copse::graph::ProgramNode;
using copse::graph::ProgramPtr;
using Json = nlohmann::ordered_json;
using Kind = ProgramNode::Kind;

namespace {

const char *nameOf(const ProgramNode &node) {
  switch (node.kind) {
  case Kind::Sequence:
    return "Sequence";
  case Kind::Execute:
    return "Execute";
  case Kind::Copy:
    return "Copy";
  case Kind::StreamToTensor:
    return "StreamCopyToDevice";
  case Kind::TensorToStream:
    return "StreamCopyToHost";
  case Kind::RemoteToTensor:
    return "RemoteBufferCopyToDevice";
  case Kind::TensorToRemote:
    return "RemoteBufferCopyToHost";
  case Kind::Repeat:
    return "Repeat";
  case Kind::RepeatWhile:
    return node.flag ? "RepeatWhileTrue" : "RepeatWhileFalse";
  case Kind::If:
    return "If";
  case Kind::Switch:
    return "Switch";
  case Kind::Call:
    return "Call";
  case Kind::PrintTensor:
    return "PrintTensor";
  case Kind::Sync:
    return "Sync";
  case Kind::WriteUndef:
    return "WriteUndef";
  case Kind::CrossReplicaCopy:
    return "CrossReplicaCopy";
  case Kind::AssumeEqual:
    return "AssumeEqualAcrossReplicas";
  case Kind::Abort:
    return node.flag ? "AbortOnCondition" : "Abort";
  case Kind::ReadClock:
    return "ReadClock";
  }
  return "Program";
}

/// What a kind of program has beside its children.
void addDetails(const Model &model, const ProgramNode &node, Json &out) {
  switch (node.kind) {
  case Kind::Execute:
    out["computeSet"] = model.computeSets.at(node.computeSet).name;
    break;
  case Kind::StreamToTensor:
  case Kind::TensorToStream:
    out["stream"] = model.streams.at(node.index).handle;
    break;
  case Kind::RemoteToTensor:
  case Kind::TensorToRemote:
    out["buffer"] = model.remoteBuffers.at(node.index).handle;
    break;
  case Kind::Repeat:
    out["count"] = node.index;
    break;
  case Kind::Switch:
    out["cases"] = node.caseValues;
    break;
  case Kind::Copy:
  case Kind::CrossReplicaCopy:
    out["elements"] = node.source.view.numElements();
    break;
  default:
    break;
  }
}

Json outline(const Model &model, const ProgramNode &node) {
  Json out{{"kind", nameOf(node)}};
  if (!node.name.empty()) {
    out["name"] = node.name;
  }
  addDetails(model, node, out);
  const bool called = node.kind == Kind::Call;
  const std::vector<ProgramPtr> children =
      called ? std::vector<ProgramPtr>{model.functions.at(node.index)} : node.children;
  for (const ProgramPtr &child : children) {
    if (child) {
      out["programs"].push_back(outline(model, *child));
    }
  }
  return out;
}

/// Compute sets in the order in which the programs first come to them.
class ComputeSetOrder {
public:
  explicit ComputeSetOrder(const Model &model) : model_(model) {}
  void visit(const ProgramNode &node) {
    if (node.kind == Kind::Execute && seen_.insert(node.computeSet).second) {
      order_.push_back(node.computeSet);
    }
    if (node.kind == Kind::Call && calls_.insert(node.index).second) {
      visit(*model_.functions.at(node.index));
    }
    for (const ProgramPtr &child : node.children) {
      if (child) {
        visit(*child);
      }
    }
  }
  const std::vector<std::uint32_t> &order() const { return order_; }

private:
  const Model &model_;
  std::set<std::uint32_t> seen_, calls_;
  std::vector<std::uint32_t> order_;
};

std::vector<std::uint32_t> computeSetsOf(const Model &model, ArrayRef<program::Program> programs) {
  ComputeSetOrder order(model);
  for (const program::Program &program : programs) {
    order.visit(*nodeOf(program));
  }
  return order.order();
}

/// Vertices of each compute set.
std::vector<std::vector<std::uint32_t>> verticesByComputeSet(const Model &model) {
  std::vector<std::vector<std::uint32_t>> out(model.computeSets.size());
  for (std::uint32_t v = 0; v < model.vertices.size(); ++v) {
    out[model.vertices[v].computeSet].push_back(v);
  }
  return out;
}

Json tileOf(std::uint32_t tile) { return tile == kNoTile ? Json(nullptr) : Json(tile); }

} // namespace

void Graph::outputComputeGraph(std::ostream &out, ArrayRef<program::Program> programs) const {
  const Model &model = impl().model();
  const auto vertices = verticesByComputeSet(model);
  Json sets = Json::array();
  for (const std::uint32_t id : computeSetsOf(model, programs)) {
    sets.push_back({{"name", model.computeSets[id].name}, {"vertices", vertices[id].size()}});
  }
  out << Json{{"computeSets", std::move(sets)}}.dump(1) << '\n';
}

void Graph::outputVertexGraph(std::ostream &out, ArrayRef<program::Program> programs) const {
  const Model &model = impl().model();
  const auto byComputeSet = verticesByComputeSet(model);
  Json sets = Json::array();
  for (const std::uint32_t id : computeSetsOf(model, programs)) {
    Json vertices = Json::array();
    for (const std::uint32_t v : byComputeSet[id]) {
      const auto &vertex = model.vertices[v];
      vertices.push_back(
          {{"type", model.vertexTypes[vertex.type].name}, {"tile", tileOf(vertex.tile)}});
    }
    sets.push_back({{"name", model.computeSets[id].name}, {"vertices", std::move(vertices)}});
  }
  out << Json{{"computeSets", std::move(sets)}}.dump(1) << '\n';
}

namespace program {

void dumpProgram(const Graph &graph, const Program &program, std::ostream &out) {
  out << outline(*copse::graph::modelOf(graph), *nodeOf(program)).dump(1) << '\n';
}

} // namespace program
} // namespace poplar
