#include "graph_impl.hpp"
#include "program_outline.hpp"

#include "graph/access.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

#include <ostream>

namespace poplar {

using copse::graph::Model;
using copse::graph::nodeOf;
using copse::graph::ProgramNode;
using copse::graph::ProgramPtr;
using Json = nlohmann::ordered_json;
namespace kind = copse::graph::kind;

namespace {

/// Describes a program: Copse's name for it, and its properties without children.
struct Outline {
  const Model &model;

  Json of(const kind::Sequence &sequence) const {
    return {{"kind", sequence.isBlock ? "Block" : "Sequence"}};
  }
  Json of(const kind::Execute &execute) const {
    return {{"kind", "Execute"}, {"computeSet", model.computeSets.at(execute.computeSet).name}};
  }
  Json of(const kind::Copy &copy) const {
    return {{"kind", "Copy"}, {"elements", copy.source.view.numElements()}};
  }
  Json of(const kind::StreamCopy &copy) const {
    return {{"kind", copy.toHost ? "StreamCopyToHost" : "StreamCopyToDevice"},
            {"stream", model.streams.at(copy.stream).handle}};
  }
  Json of(const kind::RemoteCopy &copy) const {
    return {{"kind", copy.toBuffer ? "RemoteBufferCopyToHost" : "RemoteBufferCopyToDevice"},
            {"buffer", model.remoteBuffers.at(copy.buffer).handle}};
  }
  Json of(const kind::Repeat &repeat) const {
    return {{"kind", "Repeat"}, {"count", repeat.count}};
  }
  Json of(const kind::RepeatWhile &loop) const {
    return {{"kind", loop.goesOn ? "RepeatWhileTrue" : "RepeatWhileFalse"}};
  }
  Json of(const kind::If &) const { return {{"kind", "If"}}; }
  Json of(const kind::Switch &choice) const {
    Json values = Json::array();
    for (const auto &one : choice.cases) {
      values.push_back(one.value);
    }
    return {{"kind", "Switch"}, {"cases", values}};
  }
  Json of(const kind::Call &) const { return {{"kind", "Call"}}; }
  Json of(const kind::PrintTensor &) const { return {{"kind", "PrintTensor"}}; }
  Json of(const kind::Sync &) const { return {{"kind", "Sync"}}; }
  Json of(const kind::WriteUndef &) const { return {{"kind", "WriteUndef"}}; }
  Json of(const kind::CrossReplicaCopy &copy) const {
    return {{"kind", "CrossReplicaCopy"}, {"elements", copy.source.view.numElements()}};
  }
  Json of(const kind::AssumeEqual &) const { return {{"kind", "AssumeEqualAcrossReplicas"}}; }
  Json of(const kind::Abort &abort) const {
    return {{"kind", abort.predicate ? "AbortOnCondition" : "Abort"}};
  }
  Json of(const kind::ReadClock &) const { return {{"kind", "ReadClock"}}; }

  Json of(const ProgramNode &node) const {
    const Json details = std::visit([this](const auto &what) { return of(what); }, node.kind);
    Json out{{"kind", details.at("kind")}};
    if (!node.name.empty()) {
      out["name"] = node.name;
    }
    out.update(details);
    const auto add = [&](const ProgramPtr &child) {
      if (child) {
        out["programs"].push_back(of(*child));
      }
    };
    if (const auto *call = copse::graph::as<kind::Call>(node)) {
      add(model.functions.at(call->function));
    }
    visitChildren(node, add);
    return out;
  }
};

} // namespace
} // namespace poplar

namespace copse::graph {

nlohmann::ordered_json outlineOf(const Model &model, const ProgramNode &program) {
  return poplar::Outline{model}.of(program);
}

} // namespace copse::graph

namespace poplar {
namespace program {

void dumpProgram(const Graph &graph, const Program &program, std::ostream &out) {
  out << copse::graph::outlineOf(*copse::graph::modelOf(graph), *nodeOf(program)).dump(1) << '\n';
}

} // namespace program
} // namespace poplar
