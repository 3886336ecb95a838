#include "devices.hpp"

#include <array>
#include <map>
#include <numeric>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

Device model(unsigned ipus, const char *syncConfiguration) {
  IPUModel machine;
  machine.numIPUs = ipus;
  machine.tilesPerIPU = 4;
  return machine.createDevice({{"syncConfiguration", syncConfiguration}});
}

// The table of docs/sync-groups.md.  Source: guide, 2.7.2.
const struct Cell {
  const char *name, *configuration, *independently;
  const char *withinReplica, *betweenReplicas, *remoteBuffer, *host;
} kTable[] = {
    {"AllTogether", "intraReplicaAndAll", "false", "GS1", "GS2", "GS1", "GS2"},
    {"AllOnTheirOwn", "intraReplicaAndAll", "true", "GS1", "GS2", "GS1", "GS1"},
    {"IpuTogether", "ipuAndAll", "false", "GS2", "GS2", "GS1", "GS2"},
    {"IpuOnTheirOwn", "ipuAndAll", "true", "GS2", "GS2", "GS1", "GS1"},
    {"LadderTogether", "intraReplicaAndLadder", "false", "GS1", "GS2 (all)", "GS1", "GS2"},
    {"LadderOnTheirOwn", "intraReplicaAndLadder", "true", "GS1", "GS2 (all)", "GS1", "GS1"},
};
class SyncGroups : public ::testing::TestWithParam<Cell> {};
INSTANTIATE_TEST_SUITE_P(Guide, SyncGroups, ::testing::ValuesIn(kTable),
                         [](const auto &p) { return p.param.name; });

/// Returns the group of the sync point right before each named step of an execution.
std::map<std::string, std::string> groupsBefore(const ProfileValue &profile) {
  std::map<std::string, std::string> groups;
  std::string group;
  for (const ProfileValue &step : profile["steps"].asVector()) {
    const ProfileValue &program = step["program"];
    if (program["type"].asString() == "Sync")
      group = program["name"].asString();
    else
      groups.emplace(program["name"].asString(), std::exchange(group, "none"));
  }
  return groups;
}

TEST_P(SyncGroups, AreInTheExecutionProfile) {
  const Device device = model(4, GetParam().configuration);
  device.attach();
  Graph graph(device, replication_factor(2));
  const Tensor x = graph.addVariable(INT, {4}, "x"), y = graph.addVariable(INT, {4}, "y");
  graph.setTileMapping(x, 0);
  graph.setTileMapping(y, 4); // the replica's other IPU
  const DataStream in = graph.addHostToDeviceFIFO("in", INT, 4);
  const RemoteBuffer buffer = graph.addRemoteBuffer("buffer", INT, 4);
  Engine engine(
      graph,
      Sequence({Copy(in, x, false, "host"), Copy(x, y, false, "within"), Copy(y, buffer, "remote"),
                CrossReplicaCopy(x, y, {{0, 1}, {1, 0}}, "between")}),
      {{"target.syncReplicasIndependently", GetParam().independently}});
  std::vector<int> source(2 * 4, 3); // a row for each replica
  engine.connectStream("in", source.data());
  engine.load(device);
  engine.run();
  auto groups = groupsBefore(engine.getExecutionProfile());
  EXPECT_EQ(groups["host"], GetParam().host);
  EXPECT_EQ(groups["within"], GetParam().withinReplica);
  EXPECT_EQ(groups["remote"], GetParam().remoteBuffer);
  EXPECT_EQ(groups["between"], GetParam().betweenReplicas);
}

/// A program of two IPUs, or of two replicas of two. It prints on the second of each late, and then
/// fails on the first, which has waited for nothing before.
class LatePrint {
public:
  LatePrint(const Device &device, unsigned replicas)
      : graph_(device, replication_factor(replicas)) {
    std::stringstream codelets(
        "#include <poplar/Vertex.hpp>\n#include <time.h>\n"
        "struct Late : poplar::Vertex { poplar::InOut<int> x; bool compute() {\n"
        "  timespec t{0, 100000000}; nanosleep(&t, nullptr); return true; } };\n"
        "struct Trap : poplar::Vertex { poplar::InOut<int> x; bool compute() {\n"
        "  *x = 0; __builtin_trap(); return true; } };");
    graph_.addCodelets(codelets);
    const Tensor x = graph_.addVariable(INT, {1}, "x"), y = graph_.addVariable(INT, {1}, "y");
    graph_.setTileMapping(x, 4);
    graph_.setTileMapping(y, 0);
    graph_.setInitialValue(x, 7);
    const ComputeSet late = graph_.addComputeSet("late"), trap = graph_.addComputeSet("trap");
    graph_.setTileMapping(graph_.addVertex(late, "Late", {{"x", x[0]}}), 4);
    graph_.setTileMapping(graph_.addVertex(trap, "Trap", {{"x", y[0]}}), 0);
    lateRow_ = Sequence({Execute(late), PrintTensor("x", x)});
    trap_ = trap;
  }
  Execute trap() const { return Execute(trap_); }

  /// \returns the text that was printed before the program failed
  std::string printedBefore(const Program &failure, const Device &device,
                            const char *independently) {
    Engine engine(graph_, Sequence({lateRow_, failure}),
                  {{"target.syncReplicasIndependently", independently}});
    std::ostringstream printed;
    engine.setPrintStream(printed);
    engine.load(device);
    EXPECT_THROW(engine.run(), application_runtime_error);
    return printed.str();
  }

private:
  Graph graph_;
  Sequence lateRow_;
  ComputeSet trap_;
};

TEST_P(SyncGroups, LoseNoPrintOfAnotherIpuBeforeAnAbort) {
  const Device device = model(2, GetParam().configuration);
  device.attach();
  LatePrint program(device, 1);
  EXPECT_EQ(program.printedBefore(Abort("over"), device, GetParam().independently), "x: [7]\n");
}

TEST_P(SyncGroups, LoseNoPrintOfAReplicaBeforeItsAbort) {
  const Device device = model(4, GetParam().configuration);
  device.attach();
  LatePrint program(device, 2);
  const auto printed = program.printedBefore(Abort("over"), device, GetParam().independently);
  EXPECT_THAT(printed, ::testing::HasSubstr("x: [7]\n"));
}

TEST_P(SyncGroups, LoseNoPrintOfAReplicaBeforeAFaultOfItsOtherIpu) {
  const Device device = model(4, GetParam().configuration);
  device.attach();
  LatePrint program(device, 2);
  const auto printed = program.printedBefore(program.trap(), device, GetParam().independently);
  EXPECT_THAT(printed, ::testing::HasSubstr("x: [7]\n"));
}

/// Two IPUs: one gets a long row from the host and computes little, the other the reverse; at the
/// end they exchange their results.
class UnequalWork {
public:
  static constexpr unsigned kCompute = 200'000; ///< [modelled cycles]

  explicit UnequalWork(const Device &device) : graph_(device) {
    std::stringstream codelets(R"(
      #include <poplar/Vertex.hpp>
      class Next : public poplar::MultiVertex {
      public:
        poplar::InOut<int> x;
        bool compute(unsigned worker) { if (worker == 0) *x += 1; return true; }
      };)");
    graph_.addCodelets(codelets);
    large_ = graph_.addVariable(INT, {kRow}, "large");
    small_ = graph_.addVariable(INT, {1}, "small");
    graph_.setTileMapping(large_, 0);
    graph_.setTileMapping(small_, 4);
    graph_.createHostRead("large", large_.slice(0, 1));
    graph_.createHostRead("small", small_);
  }

  Sequence program() {
    const DataStream row = graph_.addHostToDeviceFIFO("row", INT, kRow);
    const Sequence once({Copy(row, large_), work(small_[0], kCompute), work(large_[0], 100)});
    return Sequence({Repeat(3, once), Copy(small_[0], large_[0])});
  }

  /// Returns the modelled cycles of one run, after checking its result.
  std::uint64_t cycles(const Device &device, const OptionFlags &options) {
    Engine engine(graph_, program(), options);
    std::vector<int> row(kRow, 40);
    engine.connectStream("row", row.data());
    engine.load(device);
    engine.run();
    int large = 0, small = 0;
    engine.readTensor("large", &large, &large + 1);
    engine.readTensor("small", &small, &small + 1);
    EXPECT_EQ(small, 3);
    EXPECT_EQ(large, 3);
    const ProfileValue profile = engine.getExecutionProfile();
    const ProfileValue &run = profile["runs"].asVector().at(0);
    checkReplay(profile, run);
    return run["to"].asUint64() - run["from"].asUint64();
  }

private:
  static constexpr unsigned kRow = 50'000;

  Execute work(const Tensor &x, unsigned cycles) {
    const ComputeSet set = graph_.addComputeSet("work");
    const VertexRef vertex = graph_.addVertex(set, "Next", {{"x", x}});
    graph_.setTileMapping(vertex, graph_.getTileMapping(x).at(0).empty() ? 4 : 0);
    graph_.setPerfEstimate(vertex, cycles);
    return Execute(set);
  }

  /// Checks that the list of a run's steps ends when the device's clock says that it ended.
  static void checkReplay(const ProfileValue &profile, const ProfileValue &run) {
    std::uint64_t last = 0;
    for (const ProfileValue &step : profile["steps"].asVector())
      last = std::max(last, step["to"].asUint64());
    EXPECT_EQ(last, run["to"].asUint64());
  }

  Graph graph_;
  Tensor large_, small_;
};

std::uint64_t cyclesOf(const char *syncConfiguration, const OptionFlags &options = {}) {
  const Device device = model(2, syncConfiguration);
  device.attach();
  return UnequalWork(device).cycles(device, options);
}

/// Expects that the IPUs take as long as the slower one if they run apart, and wait for each other
/// every time if they run together.
void expectAllIoHidden(std::uint64_t together, std::uint64_t apart) {
  constexpr std::uint64_t kSlower = 3 * UnequalWork::kCompute;
  EXPECT_GT(apart, kSlower) << "no IPU is faster than its own work";
  EXPECT_LT(apart, kSlower + kSlower / 100);
  EXPECT_GT(together, kSlower + kSlower / 3);
}

TEST(LadderSync, LetsOneSideComputeWhileTheOtherDoesHostIo) {
  const std::uint64_t together = cyclesOf("intraReplicaAndAll");
  const std::uint64_t ladder = cyclesOf("intraReplicaAndLadder");
  expectAllIoHidden(together, ladder);
}

TEST(SoftwareSyncs, SaveTheTimeOfIpusWithUnequalIo) {
  const std::uint64_t hardware = cyclesOf("intraReplicaAndAll");
  const std::uint64_t software = cyclesOf("intraReplicaAndAll", {{"opt.enableSwSyncs", "true"}});
  expectAllIoHidden(hardware, software);
}

TEST(SoftwareSyncs, AreRefusedIfTheGuideForbidsThem) {
  const OptionFlags software{{"opt.enableSwSyncs", "true"}};
  for (const char *configuration : {"ipuAndAll", "intraReplicaAndLadder"})
    EXPECT_THROW(cyclesOf(configuration, software), invalid_option) << configuration;
  EXPECT_THROW(cyclesOf("intraReplicaAndAll", {{"opt.enableSwSyncs", "true"},
                                               {"target.syncReplicasIndependently", "true"}}),
               invalid_option);
}

} // namespace
} // namespace copse::test
