// Tests devices with copse.execution 'modelled': their clocks equal the clocks of devices that
// execute, and nothing is computed.
#include "devices.hpp"
#include "temporary_folder.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

constexpr unsigned kTiles = 4, kElements = 600, kRuns = 3;

constexpr const char *kCodelets = R"(
#include <poplar/Vertex.hpp>
class Add : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<float>> sum;
  poplar::Input<poplar::Vector<float>> part;
  bool compute() {
    for (unsigned i = 0; i < sum.size(); ++i)
      sum[i] += part[i];
    return true;
  }
};
class Work : public poplar::Vertex {
public:
  poplar::InOut<float> x;
  bool compute() {
    *x = *x * 0.5f + 1.0f;
    return true;
  }
};
)";

/// Provides rows before the IPU asks for them.
class Rows : public StreamCallback {
public:
  void fetch(void *p) override { std::fill_n(static_cast<float *>(p), kElements, 1.0f); }
  Result prefetch(void *p) override {
    fetch(p);
    return Success;
  }
  void complete() override {}
};

/// A partition and how its programs run.
struct Partition {
  const char *topology = "mesh";
  unsigned replicas = 2, ipusPerReplica = 1;
  bool prefetch = false, softwareSync = false;
  const char *syncConfiguration = "intraReplicaAndAll", *replicasSyncAlone = "false";
};

/// Builds programs for a graph, and connects what they need.
class Builder {
public:
  Builder(Graph &graph, const Partition &setup) : graph_(graph), setup_(setup) {
    std::stringstream codelets(kCodelets);
    graph.addCodelets(codelets);
  }

  Tensor spread(const char *name) {
    const Tensor tensor = graph_.addVariable(FLOAT, {kElements}, name);
    const unsigned tiles = kTiles * setup_.ipusPerReplica,
                   tilesPerIpu = graph_.getTarget().getTilesPerIPU();
    for (unsigned tile = 0; tile < tiles; ++tile)
      graph_.setTileMapping(tensor.slice(kElements * tile / tiles, kElements * (tile + 1) / tiles),
                            tile / kTiles * tilesPerIpu + tile % kTiles);
    graph_.setInitialValue(tensor, 0.0f);
    return tensor;
  }

  /// \param cycles  0: counted from the code
  Program addTo(const Tensor &sum, const Tensor &part, unsigned cycles) {
    const ComputeSet set = graph_.addComputeSet("add");
    const auto &mapping = graph_.getTileMapping(sum);
    for (unsigned tile = 0; tile < mapping.size(); ++tile)
      for (const Interval &piece : mapping[tile]) {
        const VertexRef vertex =
            graph_.addVertex(set, "Add", {{"sum", sum.slice(piece)}, {"part", part.slice(piece)}});
        graph_.setTileMapping(vertex, tile);
        if (cycles > 0)
          graph_.setPerfEstimate(vertex, cycles);
      }
    return Execute(set);
  }

  std::map<unsigned, unsigned> shift(unsigned by) const {
    std::map<unsigned, unsigned> map;
    for (unsigned r = 0; r < setup_.replicas; ++r)
      map[r] = (r + by) % setup_.replicas;
    return map;
  }

  Program ring(unsigned cycles) {
    const Tensor sum = spread("sum"), moving = spread("moving");
    const Program hop = CrossReplicaCopy(sum, moving, shift(1));
    const unsigned hops = setup_.replicas - 1;
    return Repeat(3, Sequence({Repeat(hops, Sequence({hop, addTo(sum, moving, cycles)})),
                               Repeat(hops, hop)}));
  }
  Program stencil() {
    const Tensor row = spread("row"), above = spread("above"), below = spread("below");
    return Repeat(5, Sequence({CrossReplicaCopy(row, above, shift(1)),
                               CrossReplicaCopy(row, below, shift(setup_.replicas - 1)),
                               addTo(row, above, 1000), Copy(below.reverse(0), row)}));
  }
  Program streams() {
    const Tensor in = spread("in"), out = spread("out");
    const auto from = graph_.addHostToDeviceFIFO("in", FLOAT, kElements);
    const auto to = graph_.addDeviceToHostFIFO("out", FLOAT, kElements);
    return Repeat(7, Sequence({Copy(from, in), addTo(out, in, 20'000), Copy(out, to)}));
  }
  Program remoteBuffers() {
    const Tensor state = spread("state"), other = spread("other");
    const auto buffer = graph_.addRemoteBuffer("buffer", FLOAT, kElements);
    return Repeat(4, Sequence({Copy(buffer, state), addTo(state, other, 0), Copy(state, buffer)}));
  }
  /// Returns nested loops, some of which make the clocks of the IPUs differ.
  Program loops() {
    const Tensor a = spread("a"), b = spread("b");
    const Sequence inner({addTo(a, b, 500), Copy(a, b)});
    return Sequence({Repeat(6, Sequence({Repeat(9, inner), CrossReplicaCopy(a, b, shift(1))})),
                     Repeat(2, Sequence({Repeat(0, inner), Repeat(1, addTo(b, a, 0))}))});
  }

  Graph &graph_;
  const Partition &setup_;
};

struct Workload {
  const char *name;
  Program (*build)(Builder &);
};

const Workload kWorkloads[] = {
    {"Ring", [](Builder &b) { return b.ring(700); }},
    {"RingOfCountedVertices", [](Builder &b) { return b.ring(0); }},
    {"Stencil", [](Builder &b) { return b.stencil(); }},
    {"Streams", [](Builder &b) { return b.streams(); }},
    {"RemoteBuffers", [](Builder &b) { return b.remoteBuffers(); }},
    {"Loops", [](Builder &b) { return b.loops(); }},
};

Device modelOf(unsigned ipus, const Partition &setup, const char *execution) {
  IPUModel model;
  model.numIPUs = ipus;
  model.tilesPerIPU = kTiles;
  return model.createDevice({{"ipuLinkTopology", setup.topology},
                             {"syncConfiguration", setup.syncConfiguration},
                             {"copse.execution", execution}});
}

Device processesOf(unsigned ipus, const Partition &setup) {
  for (Device &device :
       DeviceManager().getDevices(TargetType::IPU, ipus, {{"ipuLinkTopology", setup.topology}}))
    if (device.attach())
      return std::move(device);
  ADD_FAILURE() << "no device of " << ipus << " IPUs is free";
  return {};
}

/// The begin and end of each of some runs on the modelled clock.
using Times = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Returns the sum over all kinds of steps [modelled cycles].
std::uint64_t sumOf(const ProfileValue &cyclesByKind) {
  std::uint64_t sum = 0;
  for (const auto &[kind, cycles] : cyclesByKind.asMap())
    sum += cycles.asUint64();
  return sum;
}

Times timesOn(const Device &device, const Workload &workload, const Partition &setup) {
  Graph graph(device, replication_factor(setup.replicas));
  Builder builder(graph, setup);
  Engine engine(graph, workload.build(builder),
                {{"exchange.enablePrefetch", setup.prefetch ? "true" : "false"},
                 {"exchange.streamBufferOverlap", "none"},
                 {"opt.enableSwSyncs", setup.softwareSync ? "true" : "false"},
                 {"target.syncReplicasIndependently", setup.replicasSyncAlone},
                 {"debug.instrument", "true"},
                 {"autoReport.executionProfileProgramRunCount", std::to_string(kRuns)}});
  std::vector<float> out(std::size_t{kElements} * setup.replicas);
  if (!engine.listStreams().empty()) {
    for (unsigned replica = 0; replica < setup.replicas; ++replica)
      engine.connectStreamToCallback("in", replica, std::make_unique<Rows>());
    engine.connectStream("out", out.data(), out.data() + out.size());
  }
  engine.load(device);
  for (unsigned run = 0; run < kRuns; ++run)
    engine.run();
  Times times;
  const ProfileValue profile = engine.getExecutionProfile();
  for (const ProfileValue &run : profile["runs"].asVector()) {
    times.emplace_back(run["from"].asUint64(), run["to"].asUint64());
    EXPECT_EQ(sumOf(run["cycles"]), times.back().second - times.back().first);
  }
  return times;
}

using Case = std::tuple<Workload, unsigned>;

std::string caseName(const ::testing::TestParamInfo<Case> &info) {
  return std::string(std::get<0>(info.param).name) + "On" +
         std::to_string(std::get<1>(info.param)) + "Replicas";
}

class ModelledCycles : public ::testing::TestWithParam<Case> {};

TEST_P(ModelledCycles, EqualThoseOfAnExecution) {
  const auto &[workload, replicas] = GetParam();
  for (const char *topology : {"mesh", "torus"})
    for (const unsigned ipusPerReplica : {1U, 2U})
      for (const bool ahead : {false, true}) {
        if (ipusPerReplica * replicas > 16)
          continue;
        const Partition setup{topology, replicas, ipusPerReplica, ahead, ahead};
        const unsigned ipus = replicas * ipusPerReplica;
        const Times executed = timesOn(modelOf(ipus, setup, "full"), workload, setup);
        EXPECT_EQ(executed.size(), kRuns);
        EXPECT_GT(executed.front().second, 0U);
        EXPECT_EQ(timesOn(modelOf(ipus, setup, "modelled"), workload, setup), executed)
            << topology << ", " << ipusPerReplica << " IPUs per replica, prefetch " << ahead;
      }
}

INSTANTIATE_TEST_SUITE_P(Programs, ModelledCycles,
                         ::testing::Combine(::testing::ValuesIn(kWorkloads),
                                            ::testing::Values(2U, 4U, 8U, 16U)),
                         caseName);

/// Sets an environment variable as long as it lives.
class VariableOfTheEnvironment {
public:
  VariableOfTheEnvironment(const char *name, const std::string &value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~VariableOfTheEnvironment() { ::unsetenv(name_); }
  VariableOfTheEnvironment(const VariableOfTheEnvironment &) = delete;
  VariableOfTheEnvironment &operator=(const VariableOfTheEnvironment &) = delete;

private:
  const char *name_;
};
/// Sets COPSE_POD as long as it lives.
class PodOfTheEnvironment : VariableOfTheEnvironment {
public:
  explicit PodOfTheEnvironment(const std::string &pod)
      : VariableOfTheEnvironment("COPSE_POD", pod) {}
};

/// Writes the file of a pod of 16 IPUs in small machines and domains.
std::string fileOfSmallPod(const TemporaryFolder &folder) {
  std::ofstream(folder.file("small.json")) << R"({"name": "small", "like": "pod128",
    "ipus": {"value": 16, "unit": "IPUs", "source": "this test"},
    "ipusPerMachine": {"value": 2, "unit": "IPUs", "source": "this test"},
    "ipusPerDomain": {"value": 4, "unit": "IPUs", "source": "this test"},
    "hosts": {"value": 4, "unit": "hosts", "source": "this test"}})";
  return folder.file("small.json");
}

TEST(ModelledCyclesOfAPod, EqualThoseOfAnExecution) {
  const TemporaryFolder folder;
  const PodOfTheEnvironment pod(fileOfSmallPod(folder));
  for (const Workload &workload : kWorkloads)
    for (const unsigned ipusPerReplica : {1U, 2U}) {
      const Partition setup{"mesh", 16 / ipusPerReplica, ipusPerReplica, true};
      EXPECT_EQ(timesOn(modelOf(16, setup, "modelled"), workload, setup),
                timesOn(modelOf(16, setup, "full"), workload, setup))
          << workload.name << ", " << ipusPerReplica << " IPUs per replica";
    }
}

/// Returns the cycles of the last of some runs.
std::uint64_t cyclesInPod(const std::string &name, const Workload &workload, unsigned replicas) {
  const Partition setup{"mesh", replicas, 1, true};
  const PodOfTheEnvironment pod(name);
  const Times times = timesOn(modelOf(replicas, setup, "modelled"), workload, setup);
  return times.back().second - times.back().first;
}

TEST(ModelledCyclesOfAPod, GrowWithDomainsAndFallWithHosts) {
  const TemporaryFolder folder;
  const Workload &ring = kWorkloads[0], &streams = kWorkloads[3];
  EXPECT_GT(cyclesInPod(fileOfSmallPod(folder), ring, 16), cyclesInPod("pod16", ring, 16));
  EXPECT_LT(cyclesInPod("pod64-4hosts", streams, 64), cyclesInPod("pod64", streams, 64));
}

TEST(ModelledCyclesOfAPod, AreRefusedForMoreIpusThanItHas) {
  const PodOfTheEnvironment pod("pod4");
  try {
    modelOf(16, {}, "modelled");
    FAIL() << "a device of 16 IPUs was made";
  } catch (const poplar::invalid_machine_model &error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("pod 'pod4' has 4 IPUs, and the target 16"));
  }
}

TEST(ModelledSyncs, AreThoseOfTheConfiguration) {
  for (const char *configuration : {"intraReplicaAndAll", "ipuAndAll", "intraReplicaAndLadder"})
    for (const char *alone : {"false", "true"})
      for (const Workload &workload : kWorkloads) {
        const Partition setup{"mesh", 4, 2, false, false, configuration, alone};
        EXPECT_EQ(timesOn(modelOf(8, setup, "modelled"), workload, setup),
                  timesOn(modelOf(8, setup, "full"), workload, setup))
            << configuration << ' ' << alone << ' ' << workload.name;
      }
}

class ModelledProcesses : public ::testing::TestWithParam<Case> {};

TEST_P(ModelledProcesses, TakeTheSameCycles) {
  const auto &[workload, replicas] = GetParam();
  const Partition setup{"torus", replicas, 1, true, false};
  EXPECT_EQ(timesOn(modelOf(replicas, setup, "modelled"), workload, setup),
            timesOn(processesOf(replicas, setup), workload, setup));
}

INSTANTIATE_TEST_SUITE_P(Programs, ModelledProcesses,
                         ::testing::Combine(::testing::ValuesIn(kWorkloads),
                                            ::testing::Values(2U, 4U, 8U, 16U)),
                         caseName);

TEST(ModelledMachine, RunsThousandReplicas) {
  for (const char *topology : {"mesh", "torus"}) {
    const Partition few{topology, 16}, many{topology, 1024};
    const Times atFew = timesOn(modelOf(16, few, "modelled"), kWorkloads[0], few);
    const Times atMany = timesOn(modelOf(1024, many, "modelled"), kWorkloads[0], many);
    // 3 x 2 (R - 1) hops, each at least as long as on few replicas.
    EXPECT_GT(atMany.front().second, atFew.front().second * 1023 / 15) << topology;
  }
}

TEST(ModelledMachine, TakesRowsFromBuffersAsNotPrefetched) {
  const Partition setup{"mesh", 2, 1, true};
  const auto cycles = [&](const char *execution) {
    const Device device = modelOf(2, setup, execution);
    Graph graph(device, replication_factor(2));
    Builder builder(graph, setup);
    Engine engine(graph, builder.streams(),
                  {{"exchange.enablePrefetch", "true"}, {"exchange.streamBufferOverlap", "none"}});
    std::vector<float> in(kElements * 2, 1.0f), out(kElements * 2);
    engine.connectStream("in", in.data(), in.data() + in.size());
    engine.connectStream("out", out.data(), out.data() + out.size());
    engine.load(device);
    engine.run();
    const ProfileValue profile = engine.getExecutionProfile();
    return profile["runs"].asVector().at(0)["to"].asUint64();
  };
  EXPECT_EQ(cycles("modelled"), cycles("full"));
}

/// Runs a program of one step on one IPU that does not execute.
class OnOneIpu : public ::testing::Test {
protected:
  OnOneIpu() : graph_(device_), builder_(graph_, setup_) {}

  Engine load(const Program &program) {
    Engine engine(graph_, program);
    engine.load(device_);
    return engine;
  }

  const Partition setup_{"mesh", 1};
  const Device device_ = modelOf(1, setup_, "modelled");
  Graph graph_;
  Builder builder_;
};

TEST_F(OnOneIpu, RefusesToGuessABranchAndNamesIt) {
  const Tensor condition = graph_.addVariable(BOOL, {}, "condition");
  graph_.setTileMapping(condition, 0);
  const Tensor a = builder_.spread("a"), b = builder_.spread("b");
  Engine engine = load(If(condition, Copy(a, b), Sequence(), "net/choice"));
  try {
    engine.run();
    FAIL() << "the branch was run";
  } catch (const poplar::invalid_option &error) {
    EXPECT_THAT(error.what(),
                ::testing::AllOf(::testing::HasSubstr("If 'net/choice': modelled cycles depend"),
                                 ::testing::HasSubstr("if:net/choice=true")));
  }
}

TEST_F(OnOneIpu, ReadsZeros) {
  const Tensor a = builder_.spread("a"), b = builder_.spread("b");
  graph_.createHostRead("b", b);
  graph_.createHostWrite("a", a);
  Engine engine = load(builder_.addTo(b, a, 0));
  std::vector<float> values(kElements, 1.0f);
  engine.writeTensor("a", values.data(), values.data() + values.size());
  engine.run();
  engine.readTensor("b", values.data(), values.data() + values.size());
  EXPECT_THAT(values, ::testing::Each(0.0f));
}

TEST_F(OnOneIpu, MultipliesTurnsThatAreEqual) {
  const Tensor a = builder_.spread("a"), b = builder_.spread("b");
  const unsigned many = 4'000'000'000;
  Engine engine = load(Sequence({Repeat(many, builder_.addTo(a, b, 700)), Copy(a, b)}));
  engine.run(); // walking the turns would take hours
  const ProfileValue profile = engine.getExecutionProfile();
  EXPECT_GT(profile["runs"].asVector().at(0)["to"].asUint64(), std::uint64_t{700} * many);
}

TEST(ModelledTurns, AreMultipliedThoughIpusAreUnequallyBusy) {
  const Partition setup{"mesh", 1, 2};
  const Device device = modelOf(2, setup, "modelled");
  Graph graph(device);
  Builder builder(graph, setup);
  const Tensor a = builder.spread("a"), b = builder.spread("b");
  const Tensor first = a.slice(0, kElements / 2), other = b.slice(0, kElements / 2);
  const unsigned many = 4'000'000'000;
  Engine engine(graph, Sequence({Repeat(many, Sequence({builder.addTo(first, other, 700),
                                                        builder.addTo(a, b, 300)})),
                                 Copy(a, b.reverse(0))}));
  engine.load(device);
  engine.run();
  const ProfileValue profile = engine.getExecutionProfile();
  EXPECT_GT(profile["runs"].asVector().at(0)["to"].asUint64(), std::uint64_t{1000} * many);
}

TEST_F(OnOneIpu, CountsCyclesOfVerticesOnDataOfTheHost) {
  std::stringstream codelet("#include <poplar/Vertex.hpp>\n"
                            "struct Turns : poplar::Vertex { poplar::Input<int> n;\n"
                            "  poplar::Output<float> x;\n"
                            "  bool compute() { float s = 0; for (int i = 0; i < *n; ++i)\n"
                            "    s = s * s + 0.5f; *x = s; return true; } };");
  graph_.addCodelets(codelet);
  const Tensor n = graph_.addVariable(INT, {}, "n"), x = graph_.addVariable(FLOAT, {}, "x");
  const ComputeSet set = graph_.addComputeSet("turns");
  graph_.setTileMapping(graph_.addVertex(set, "Turns", {{"n", n}, {"x", x}}), 1);
  graph_.setTileMapping(n,
                        0); // it has to be copied to the vertex, so the exchange is executed, too
  graph_.setTileMapping(x, 1);
  graph_.createHostWrite("n", n);
  const auto cyclesFor = [&](int turns) {
    Engine engine = load(Repeat(100, Execute(set)));
    engine.writeTensor("n", &turns, &turns + 1);
    engine.run();
    const ProfileValue profile = engine.getExecutionProfile();
    return profile["runs"].asVector().at(0)["to"].asUint64();
  };
  EXPECT_GE(cyclesFor(1000), cyclesFor(10) + 100 * 990 * 6);
}

/// A program whose course depends on data that the host has written.
struct Course {
  const char *name;
  /// \param steer  a word with the value 3
  Program (*build)(Graph &graph, Builder &builder, const Tensor &steer);
  const char *assumption; ///< what happens
};

Tensor isMore(Graph &graph, const Tensor &steer, Sequence &program) {
  const ComputeSet set = graph.addComputeSet("count");
  const Tensor more = graph.addVariable(BOOL, {}, "more");
  graph.setTileMapping(more, 0);
  graph.setTileMapping(graph.addVertex(set, "CountDown", {{"n", steer}, {"more", more}}), 0);
  program.add(Execute(set));
  return more;
}

const Course kCourses[] = {
    {"IfTrue",
     [](Graph &, Builder &b, const Tensor &steer) -> Program {
       return If(steer, b.addTo(b.spread("a"), b.spread("b"), 700), Sequence(), "if");
     },
     "if=true"},
    {"Switch",
     [](Graph &, Builder &b, const Tensor &steer) -> Program {
       Switch choice(steer, "switch");
       choice.add(1, Copy(b.spread("a"), b.spread("b")));
       choice.add(3, b.addTo(b.spread("c"), b.spread("d"), 900));
       return choice;
     },
     "switch:s*=3"},
    {"SwitchToDefault",
     [](Graph &, Builder &b, const Tensor &steer) -> Program {
       Switch choice(steer, b.addTo(b.spread("c"), b.spread("d"), 900));
       choice.add(0, Copy(b.spread("a"), b.spread("b")));
       return choice;
     },
     "switch=default"},
    {"While",
     [](Graph &graph, Builder &b, const Tensor &steer) -> Program {
       Sequence condition;
       const Tensor more = isMore(graph, steer, condition);
       return RepeatWhileTrue(condition, more, b.addTo(b.spread("a"), b.spread("b"), 0), "loop");
     },
     "while=7,while:loop=2"},
};

std::uint64_t cyclesOf(const Course &course, const char *execution) {
  const Partition setup{"mesh", 1};
  const Device device = modelOf(1, setup, execution);
  Graph graph(device);
  Builder builder(graph, setup);
  std::stringstream codelet("#include <poplar/Vertex.hpp>\n"
                            "struct CountDown : poplar::Vertex { poplar::InOut<int> n;\n"
                            "  poplar::Output<bool> more;\n"
                            "  bool compute() { *n -= 1; *more = *n > 0; return true; } };");
  graph.addCodelets(codelet);
  const Tensor steer = graph.addVariable(INT, {}, "steer");
  graph.setTileMapping(steer, 0);
  graph.createHostWrite("steer", steer);
  Engine engine(graph, course.build(graph, builder, steer));
  engine.load(device);
  const int three = 3;
  engine.writeTensor("steer", &three, &three + 1);
  engine.run();
  const ProfileValue profile = engine.getExecutionProfile();
  return profile["runs"].asVector().at(0)["to"].asUint64();
}

class AssumedCourse : public ::testing::TestWithParam<Course> {};

TEST_P(AssumedCourse, TakesWhatItTakesOnSuchData) {
  const VariableOfTheEnvironment assume("COPSE_ASSUME", GetParam().assumption);
  EXPECT_EQ(cyclesOf(GetParam(), "modelled"), cyclesOf(GetParam(), "full"));
}

INSTANTIATE_TEST_SUITE_P(Programs, AssumedCourse, ::testing::ValuesIn(kCourses),
                         [](const auto &p) { return std::string(p.param.name); });

/// Notes each call, and has no more than some rows in advance.
class NotedRows : public StreamCallback {
public:
  NotedRows(std::vector<std::string> &notes, unsigned rows) : notes_(notes), rows_(rows) {}
  Result prefetch(void * /*p*/) override {
    notes_.push_back(rows_ > 0 ? "prefetch" : "no prefetch");
    return rows_ > 0 ? (--rows_, Success) : NotAvailable;
  }
  void fetch(void * /*p*/) override { notes_.emplace_back("fetch"); }
  void complete() override { notes_.emplace_back("complete"); }

private:
  std::vector<std::string> &notes_;
  unsigned rows_;
};

/// The calls of the stream to the device, and a last note with the number of those from it.
std::vector<std::string> callsOn(const char *execution, bool prefetch) {
  const Partition setup{"mesh", 1};
  const Device device = modelOf(1, setup, execution);
  Graph graph(device);
  Builder builder(graph, setup);
  Engine engine(graph, builder.streams(),
                {{"exchange.enablePrefetch", prefetch ? "true" : "false"},
                 {"exchange.streamBufferOverlap", "none"}});
  std::vector<std::string> notes;
  engine.connectStreamToCallback("in", std::make_unique<NotedRows>(notes, 9));
  unsigned taken = 0;
  engine.connectStreamToCallback("out", [&](void *) { ++taken; });
  engine.load(device);
  engine.run();
  engine.run();
  notes.push_back(std::to_string(taken));
  return notes;
}

TEST(ModelledStreams, CallTheHostAsAnExecutionDoes) {
  for (const bool prefetch : {false, true}) {
    const auto executed = callsOn("full", prefetch);
    EXPECT_GE(executed.size(), 2 * 7 * 2U);
    EXPECT_EQ(callsOn("modelled", prefetch), executed) << prefetch;
  }
}

TEST(ModelledExecution, VariableAppliesToIpus) {
  const Partition setup{"mesh", 4};
  const Times executed = timesOn(processesOf(4, setup), kWorkloads[1], setup);
  const VariableOfTheEnvironment execution("COPSE_EXECUTION", "modelled");
  const VariableOfTheEnvironment ipus("COPSE_IPUS", "256");
  EXPECT_EQ(timesOn(processesOf(4, setup), kWorkloads[1], setup), executed);
  const Device many = processesOf(256, setup);
  EXPECT_EQ(many.getTarget().getNumIPUs(), 256U);
  EXPECT_EQ(many.getAttribute("ipud.pids"), "");
}

TEST(ModelledExecution, IsRefusedOnACpu) {
  const VariableOfTheEnvironment execution("COPSE_EXECUTION", "modelled");
  const Device cpu = Device::createCPUDevice();
  const Graph graph(cpu);
  Engine engine(graph, Sequence());
  try {
    engine.load(cpu);
    FAIL() << "a CPU was given a modelled time";
  } catch (const poplar::poplar_error &error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the device is a CPU, which has no chip"));
  }
}

TEST(ModelledExecution, VariableMustHaveAKnownValue) {
  const VariableOfTheEnvironment execution("COPSE_EXECUTION", "modeled");
  EXPECT_THROW(IPUModel().createDevice(), poplar::no_environment);
}

TEST(ProfiledRuns, HaveNoCyclesByKindAfterABranchOnData) {
  const Partition setup{"mesh", 1};
  const Device device = modelOf(1, setup, "full");
  Graph graph(device);
  Builder builder(graph, setup);
  const Tensor condition = graph.addVariable(BOOL, {}, "condition");
  graph.setTileMapping(condition, 0);
  const Tensor a = builder.spread("a"), b = builder.spread("b");
  Engine engine(graph, {If(condition, Copy(a, b), Sequence()), Copy(a, b)});
  engine.load(device);
  engine.run(0);
  engine.run(1);
  const ProfileValue profile = engine.getExecutionProfile();
  const auto &runs = profile["runs"].asVector();
  EXPECT_EQ(runs.at(0).asMap().count("cycles"), 0u);
  EXPECT_GT(runs.at(1)["cycles"]["internalExchange"].asUint64(), 0u);
}

TEST(ModelledMachine, ServesOneEngineAfterAnother) {
  const Partition setup{"torus", 8};
  const Device device = modelOf(8, setup, "modelled");
  const Times first = timesOn(device, kWorkloads[1], setup);
  timesOn(device, kWorkloads[3], setup);
  EXPECT_EQ(timesOn(device, kWorkloads[1], setup), first);
}

TEST(ModelledMachine, RejectsAnUnknownExecutionMode) {
  EXPECT_THROW(modelOf(1, {}, "none"), poplar::invalid_option);
}

} // namespace
} // namespace copse::test
