// Tests summaries of real programs: whole texts, and figures that must add up.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char *kCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class Twice : public Vertex {
public:
  InOut<Vector<float>> data;
  bool compute() {
    for (unsigned i = 0; i < data.size(); ++i) data[i] *= 2;
    return true;
  }
};
class Sum : public MultiVertex {
public:
  Vector<Input<Vector<float>>> parts;
  Output<float> sum;
  float start;
  bool compute(unsigned worker) {
    if (worker > 0) return true;
    *sum = start;
    for (unsigned p = 0; p < parts.size(); ++p)
      for (unsigned i = 0; i < parts[p].size(); ++i) *sum += parts[p][i];
    return true;
  }
};
)";

Device model(unsigned ipus, unsigned tilesPerIpu) {
  IPUModel machine;
  machine.numIPUs = ipus;
  machine.tilesPerIPU = tilesPerIpu;
  return machine.createDevice();
}

class Summaries : public ::testing::Test {
protected:
  void addCodelets(Graph &graph) {
    std::stringstream codelets(kCodelets);
    graph.addCodelets(codelets);
  }

  void addVertex(Graph &graph, const ComputeSet &set, const char *type, unsigned tile,
                 std::uint64_t cycles, const std::vector<Graph::ConnectionDesc> &edges) {
    const VertexRef vertex = graph.addVertex(set, type, edges);
    graph.setTileMapping(vertex, tile);
    graph.setPerfEstimate(vertex, cycles);
    if (std::string(type) == "Sum")
      graph.setInitialValue(vertex["start"], 0.5F);
  }

  /// Returns a program for eight tiles: a stream fills data that are doubled in place, then summed
  /// on tile 7. Other data then reuse the memory of some of them.
  Sequence doubling(Graph &graph) {
    addCodelets(graph);
    const Tensor data = graph.addVariable(FLOAT, {6, 100}, "data"),
                 sum = graph.addVariable(FLOAT, {}, "sum");
    graph.setTileMapping(sum, 7);
    const ComputeSet twice = graph.addComputeSet("twice"), add = graph.addComputeSet("add");
    for (unsigned tile = 0; tile < 6; ++tile) {
      graph.setTileMapping(data[tile], tile);
      addVertex(graph, twice, "Twice", tile, 100 + 10 * tile, {{"data", data[tile]}});
    }
    addVertex(graph, add, "Sum", 7, 60, {{"parts", data}, {"sum", sum}});
    const Tensor one = graph.addConstant<float>(FLOAT, {3}, 1, "one");
    graph.setTileMapping(one, 6);
    const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 600),
                     late = graph.addHostToDeviceFIFO("late", FLOAT, 80),
                     out = graph.addDeviceToHostFIFO("out", FLOAT, 1);
    const Tensor others = graph.addVariable(FLOAT, {80}, "others");
    graph.setTileMapping(others, 2);
    const ComputeSet last = graph.addComputeSet("last");
    addVertex(graph, last, "Twice", 2, 200, {{"data", others}});
    return Sequence({Copy(in, data, false, "fill"), Repeat(2, Execute(twice)), Execute(add),
                     Copy(sum, out, false, "tell"), Copy(late, others, false, "fill others"),
                     Execute(last)});
  }

  /// Returns a program of two replicas of two IPUs of four tiles; data go to the other IPU, between
  /// replicas and to a remote buffer.
  Sequence replicas(Graph &graph) {
    addCodelets(graph);
    const Tensor here = graph.addVariable(FLOAT, {64}, "here"),
                 there = graph.addVariable(FLOAT, {64}, "there"),
                 scratch = graph.addVariable(FLOAT, {64}, "scratch");
    graph.setTileMapping(here, 1);
    graph.setTileMapping(there, 5);
    graph.setTileMapping(scratch, 5);
    const ComputeSet twice = graph.addComputeSet("twice");
    addVertex(graph, twice, "Twice", 1, 500, {{"data", here}});
    addVertex(graph, twice, "Twice", 5, 100, {{"data", there}});
    const RemoteBuffer rows = graph.addRemoteBuffer("rows", FLOAT, 64);
    const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 128);
    return Sequence({Copy(in, concat(here, there)), Execute(twice),
                     Copy(here, there, false, "over"),
                     CrossReplicaCopy(there, scratch, {{0, 1}, {1, 0}}, "across"),
                     Copy(scratch, rows, "keep")});
  }

  std::string ran(Graph &graph, const Program &program, const Device &device,
                  const OptionFlags &summary, const OptionFlags &options = {}) {
    Engine engine(graph, program, options);
    graphProfile_ = engine.getGraphProfile();
    std::vector<float> in(1024, 1), out(1024);
    for (const std::string &stream : engine.listStreams())
      engine.connectStream(stream, stream == "in" ? in.data() : out.data());
    engine.load(device);
    engine.run(0, "once");
    executionProfile_ = engine.getExecutionProfile();
    std::ostringstream text;
    engine.printProfileSummary(text, summary);
    return text.str();
  }

  /// Holds \p text against the file \p name. With COPSE_UPDATE_SUMMARIES, writes it instead.
  static void expectSummary(const std::string &text, const std::string &name) {
    const std::string path = std::string(SUMMARIES) + "/" + name;
    if (std::getenv("COPSE_UPDATE_SUMMARIES")) {
      std::ofstream(path) << text;
      return;
    }
    std::ifstream file(path);
    const std::string expected{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(text, expected) << "see tests/profile/summaries/" << name;
  }

  std::uint64_t at(const ProfileValue &profile, const std::vector<const char *> &path) const {
    const ProfileValue *value = &profile;
    for (const char *key : path)
      value = &(*value)[key];
    return value->asUint64();
  }
  static std::uint64_t sum(const ProfileValue &value) {
    return static_cast<std::uint64_t>(value.sum());
  }

  /// Expects that figures of different blocks which describe the same bytes and cycles agree.
  void expectBlocksToAddUp() {
    const ProfileValue &memory = graphProfile_["memory"];
    const std::uint64_t total = sum(memory["byTile"]);
    EXPECT_EQ(sum(memory["byRegion"]), total);
    EXPECT_EQ(sum(memory["notOverlapped"]) + at(memory, {"afterOverlapping"}), total);
    EXPECT_GE(sum(memory["overlapped"]), 2 * at(memory, {"afterOverlapping"}));
    EXPECT_GE(sum(memory["byTileIncludingGaps"]), total);
    const ProfileValue &vertices = memory["vertexData"];
    EXPECT_EQ(sum(vertices["byCategory"]), at(vertices, {"total"}));
    EXPECT_EQ(sum(vertices["byType"]), at(vertices, {"total"}));
    EXPECT_EQ(at(memory, {"byCategory", "vertexInstanceState"}) +
                  at(memory, {"byCategory", "vertexFieldData"}) +
                  at(memory, {"byCategory", "vectorListDescriptor"}),
              at(vertices, {"total"}));
    EXPECT_LE(at(graphProfile_, {"liveness", "alwaysLiveBytes"}),
              at(graphProfile_, {"liveness", "maxLiveBytes"}));
    EXPECT_LE(at(graphProfile_, {"liveness", "maxLiveBytes"}), total);

    const ProfileValue &tiles = executionProfile_["tileCycles"];
    EXPECT_EQ(at(tiles, {"compute"}) + at(tiles, {"internalExchange"}) +
                  at(tiles, {"globalExchange"}) + at(tiles, {"hostExchange"}) + at(tiles, {"sync"}),
              at(tiles, {"recordedCycles"}) * at(tiles, {"tiles"}));
    EXPECT_EQ(at(tiles, {"recordedCycles"}), at(executionProfile_, {"cycles", "total"}));
    std::uint64_t threads = 0;
    for (const ProfileValue &type : executionProfile_["vertexTypes"].asVector())
      threads += at(type, {"threadCycles"});
    EXPECT_EQ(threads, at(tiles, {"threadCycles"}));
    EXPECT_LE(threads, at(tiles, {"compute"}) * at(tiles, {"workers"}));
  }

  ProfileValue graphProfile_, executionProfile_;
};

const OptionFlags kAll{{"showVarStorage", "true"},
                       {"showExecutionSteps", "true"},
                       {"showOptimizations", "true"},
                       {"showPerIpuMemoryUsage", "true"},
                       {"colours", "false"}};

TEST_F(Summaries, ShowTheGuidesBlocksForAProgramOnOneIpu) {
  const Device device = model(1, 8);
  Graph graph(device);
  const Sequence program = doubling(graph);
  expectSummary(ran(graph, program, device, kAll), "doubling.txt");
  expectBlocksToAddUp();
  EXPECT_EQ(at(graphProfile_, {"memory", "afterOverlapping"}), 320u) << "others, on tile 2";
  EXPECT_EQ(at(executionProfile_["runs"][0]["hostUses"][0], {"bytes"}), 2400u);
}

TEST_F(Summaries, ShowOneReplicaOfSeveral) {
  const Device device = model(4, 4);
  Graph graph(device, replication_factor(2));
  const Sequence program = replicas(graph);
  expectSummary(ran(graph, program, device, kAll), "replicas.txt");
  expectBlocksToAddUp();
  std::uint64_t bytes = 0;
  for (const ProfileValue &link : executionProfile_["links"].asVector())
    bytes += at(link, {"bytes"});
  EXPECT_GT(bytes, 2u * 256) << "over on each replica, and across";
}

TEST_F(Summaries, NameTheWorstTilesOfProgramsThatAreTooLarge) {
  const Device device = model(1, 4);
  Graph graph(device);
  addCodelets(graph);
  const Tensor large = graph.addVariable(FLOAT, {180'000}, "large"),
               larger = graph.addVariable(FLOAT, {200'000}, "larger");
  graph.setTileMapping(large, 1);
  graph.setTileMapping(larger, 2);
  graph.createHostRead("large", large);
  graph.createHostRead("larger", larger);
  expectSummary(ran(graph, Copy(larger.slice(0, 180'000), large, false, "shrink"), device,
                    {{"colours", "false"}}, {{"debug.allowOutOfMemory", "true"}}),
                "too_large.txt");
  expectBlocksToAddUp();
}

// PopART's tests read compute sets from such lines; they request execution steps only.
TEST_F(Summaries, ListTheProgramsByNameWithExecutionSteps) {
  const Device device = model(1, 8);
  Graph graph(device);
  const Sequence program = doubling(graph);
  Engine engine(graph, program);
  std::ostringstream text;
  engine.printProfileSummary(text, {{"colours", "false"}, {"showExecutionSteps", "true"}});
  EXPECT_THAT(text.str(), HasSubstr("    Repeat\n      OnTileExecute: twice\n    DoExchange: "));
  EXPECT_THAT(text.str(), Not(HasSubstr("Live Bytes")));
}

// PopART's tests of grouped stream copies read the steps below this line.
TEST_F(Summaries, ListSeveralProgramsUnderASwitch) {
  const Device device = model(1, 8);
  Graph graph(device);
  const Sequence program = doubling(graph);
  Engine engine(graph, {program, Sequence()});
  std::ostringstream text;
  engine.printProfileSummary(text, {{"colours", "false"}, {"showExecutionSteps", "true"}});
  EXPECT_THAT(text.str(), HasSubstr("Programs:\n  Switch\n    Sequence\n      Sync: "));
  EXPECT_THAT(text.str(), HasSubstr("OnTileExecute: last\n    Sequence\n"));
}

TEST_F(Summaries, HaveColoursOnRequest) {
  const Device device = model(1, 8);
  Graph graph(device);
  const Sequence program = doubling(graph);
  Engine engine(graph, program);
  const auto summary = [&](const char *colours) {
    std::ostringstream text;
    engine.printProfileSummary(text, {{"colours", colours}});
    return text.str();
  };
  EXPECT_THAT(summary("true"), HasSubstr("\033[1mTarget:"));
  EXPECT_THAT(summary("false"), Not(HasSubstr("\033")));
  ::setenv("CLICOLOR", "0", 1);
  EXPECT_THAT(summary("true"), Not(HasSubstr("\033")));
  ::setenv("CLICOLOR_FORCE", "1", 1);
  EXPECT_THAT(summary("false"), HasSubstr("\033[1m"));
  ::unsetenv("CLICOLOR");
  ::unsetenv("CLICOLOR_FORCE");
}

TEST_F(Summaries, AreEqualForSavedProfilesAndTheEngine) {
  const Device device = model(1, 8);
  Graph graph(device);
  const Sequence program = doubling(graph);
  const std::string text = ran(graph, program, device, kAll);
  std::ostringstream again;
  printProfileSummary(again, graphProfile_, executionProfile_, kAll);
  EXPECT_EQ(again.str(), text);
}

} // namespace
} // namespace copse::test
