#include "models.hpp"

#include "compiler/graph_key.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace copse::compiler {
namespace {

using graph::Model;
using graph::ProgramNode;
using popc::FieldDirection;
namespace kind = graph::kind;

/// A graph with every kind of content, its programs, and the costs of its vertices.
struct Sample {
  Model model = test::emptyModel(2, 4);
  std::shared_ptr<ProgramNode> program = std::make_shared<ProgramNode>();
  TargetMemory memory{0x50000, 0x10000, 21, 6, true};
  std::uint64_t cycles = 7;

  Sample() {
    const auto data = test::addVariable(model, "data", {0, 0, 1, 2});
    model.variables[data].initial.push_back({0, 1, 1, std::vector<std::byte>(4)});
    auto module = std::make_shared<popc::Module>();
    module->sha256 = "0123";
    model.modules = {module};
    const auto unused = test::addVertexType(model, "Unused", {FieldDirection::Input});
    const auto type =
        test::addVertexType(model, "T", {FieldDirection::Input, FieldDirection::Output});
    (void)unused;
    const auto set = test::addComputeSet(model, "set");
    const auto vertex = test::addVertex(model, set, type, 1);
    test::connect(model, vertex, 0, {{data, 0, 2, 1}});
    test::connect(model, vertex, 1, {{data, 2, 2, 1}});
    model.fieldValues.push_back({vertex, 0, 0, 1, std::vector<std::byte>(4)});
    model.fieldSizes.push_back({vertex, 0, 2});
    model.streams.push_back({"in", graph::ElementType::Float, 4, false, false, 1, 0});
    model.remoteBuffers.push_back({"rows", graph::ElementType::Float, 4, 2});
    const graph::View view = graph::View::ofVariable(data, {4});
    model.hostAccesses.push_back({"data", false, graph::ElementType::Float, view});
    model.replications.emplace_back(2, std::vector<std::uint32_t>{0, 1});
    const graph::TypedView tensor{graph::ElementType::Float, view};
    const auto copy = node(kind::StreamCopy{.tensor = tensor});
    model.functions = {copy};
    program->kind = kind::Sequence{
        {copy, node(kind::Execute{}), copy, node(kind::Switch{tensor, {{1, copy}}, nullptr}),
         node(kind::CrossReplicaCopy{tensor, tensor, {{0, 1}, {1, 0}}}),
         node(kind::PrintTensor{tensor, {}, "title", {}}), node(kind::Abort{})}};
  }

  sync::Scheme scheme;

  std::string key() const {
    return graphKey(
        model, std::vector<graph::ProgramPtr>{program}, memory,
        [this](std::uint32_t) { return std::optional(cycles); }, scheme);
  }
  static graph::ProgramPtr node(graph::ProgramKind kind) {
    return std::make_shared<ProgramNode>(ProgramNode{"", std::move(kind)});
  }
  std::vector<graph::ProgramPtr> &children() const {
    return std::get<kind::Sequence>(program->kind).programs;
  }
  ProgramNode &child(std::size_t at) const { return const_cast<ProgramNode &>(*children()[at]); }
  template <class Kind> Kind &child(std::size_t at) const { return std::get<Kind>(child(at).kind); }
};

TEST(GraphKey, IsEqualForEqualGraphs) { EXPECT_EQ(Sample().key(), Sample().key()); }

TEST(GraphKey, IgnoresUnusedVertexTypes) {
  Sample sample;
  sample.model.vertexTypes[0].stateBytes += 4;
  EXPECT_EQ(sample.key(), Sample().key());
}

TEST(GraphKey, IsQuickForADeepTreeOfSharedPrograms) {
  Sample sample;
  graph::ProgramPtr node = sample.program;
  for (int depth = 0; depth < 64; ++depth) { // 2^64 nodes, if each place counted
    const auto twice = std::make_shared<ProgramNode>();
    twice->kind = kind::Sequence{{node, node}};
    node = twice;
  }
  sample.children().push_back(nullptr);
  EXPECT_NE(graphKey(sample.model, {&node, 1}, sample.memory, {}, {}), Sample().key());
}

const struct KeyCase {
  const char *name;
  std::function<void(Sample &)> change;
} kChanges[] = {
    {"Architecture", [](Sample &s) { s.model.arch = popc::Architecture::Ipu1; }},
    {"SyncConfiguration",
     [](Sample &s) { s.scheme.configuration = wire::SyncConfiguration::IpuAndAll; }},
    {"ReplicasSyncIndependently", [](Sample &s) { s.scheme.replicasIndependently = true; }},
    {"SoftwareSync", [](Sample &s) { s.scheme.software = true; }},
    {"Ipus", [](Sample &s) { s.model.ipus = 3; }},
    {"Replicas", [](Sample &s) { s.model.replicas = 2; }},
    {"HalfBytes", [](Sample &s) { s.model.halfBytes = 4; }},
    {"ReplicaTiles",
     [](Sample &s) {
       s.model.replications[0] = graph::ReplicaTiles(2, {1, 0});
     }},
    {"VariableName", [](Sample &s) { s.model.variables[0].name = "other"; }},
    {"Mapping", [](Sample &s) { s.model.variables[0].tiles.set(0, 1, 3); }},
    {"InitialValue", [](Sample &s) { s.model.variables[0].initial[0].bytes[2] = std::byte{1}; }},
    {"Codelet",
     [](Sample &s) {
       auto module = std::make_shared<popc::Module>();
       module->sha256 = "3210";
       s.model.modules = {module};
     }},
    {"FieldOffset", [](Sample &s) { s.model.vertexTypes[1].fields[1].offset = 12; }},
    {"ComputeSetName", [](Sample &s) { s.model.computeSets[0].name = "other"; }},
    {"VertexTile", [](Sample &s) { s.model.vertices[0].tile = 2; }},
    {"VertexWithoutTile", [](Sample &s) { s.model.vertices[0].tile = graph::kNoTile; }},
    {"VertexReplication", [](Sample &s) { s.model.vertices[0].replication = 0; }},
    {"Cycles", [](Sample &s) { s.cycles = 8; }},
    {"EdgeField", [](Sample &s) { s.model.edges[0].field = 1; }},
    {"EdgeIndex", [](Sample &s) { s.model.edges[0].index = 1; }},
    {"RunBegin", [](Sample &s) { s.model.runs[0].begin = 1; }},
    {"RunStride", [](Sample &s) { s.model.runs[0].stride = -1; }},
    {"FieldValue", [](Sample &s) { s.model.fieldValues[0].bytes[0] = std::byte{9}; }},
    {"FieldSize", [](Sample &s) { s.model.fieldSizes[0].size = 3; }},
    {"Stream", [](Sample &s) { s.model.streams[0].bufferingDepth = 2; }},
    {"RemoteBuffer", [](Sample &s) { s.model.remoteBuffers[0].repeats = 3; }},
    {"HostAccess", [](Sample &s) { s.model.hostAccesses[0].write = true; }},
    {"ProgramKind", [](Sample &s) { s.child(1).kind = kind::Sync{}; }},
    {"ProgramName", [](Sample &s) { s.child(1).name = "x"; }},
    {"ProgramIndex", [](Sample &s) { s.child<kind::StreamCopy>(0).stream = 1; }},
    {"ProgramView",
     [](Sample &s) {
       s.child<kind::StreamCopy>(0).tensor.view = graph::View::ofVariable(0, {2, 2});
     }},
    {"ProgramFlag", [](Sample &s) { s.child<kind::StreamCopy>(0).optimiseMemory = true; }},
    {"ProgramCaseValue", [](Sample &s) { s.child<kind::Switch>(3).cases[0].value = -1; }},
    {"ProgramCase", [](Sample &s) { s.child<kind::Switch>(3).cases[0].body = nullptr; }},
    {"ProgramDefault", [](Sample &s) { s.child<kind::Switch>(3).otherwise = s.children()[0]; }},
    {"ProgramCondition",
     [](Sample &s) { s.child<kind::Abort>(6).predicate = s.child<kind::StreamCopy>(0).tensor; }},
    {"ProgramReplicaMap", [](Sample &s) { s.child<kind::CrossReplicaCopy>(4).replicaMap[0] = 0; }},
    {"ProgramText", [](Sample &s) { s.child<kind::PrintTensor>(5).title = "x"; }},
    {"ProgramOrder", [](Sample &s) { std::swap(s.children()[0], s.children()[1]); }},
    {"Functions", [](Sample &s) { s.model.functions.clear(); }},
    {"TileMemory", [](Sample &s) { s.memory.bytes += 4096; }},
    {"Sharing", [](Sample &s) { s.memory.sharing = false; }},
};

class GraphKeyOf : public ::testing::TestWithParam<KeyCase> {};

TEST_P(GraphKeyOf, ChangesTheKey) {
  Sample sample;
  GetParam().change(sample);
  EXPECT_NE(sample.key(), Sample().key());
}

INSTANTIATE_TEST_SUITE_P(Model, GraphKeyOf, ::testing::ValuesIn(kChanges),
                         [](const auto &change) { return change.param.name; });

} // namespace
} // namespace copse::compiler
