#include "graph_impl.hpp"

#include "graph/access.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

namespace poplar {

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

} // namespace

namespace program {

void dumpProgram(const Graph &graph, const Program &program, std::ostream &out) {
  out << outline(*copse::graph::modelOf(graph), *nodeOf(program)).dump(1) << '\n';
}

} // namespace program
} // namespace poplar
