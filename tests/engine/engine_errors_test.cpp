#include "devices.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Returns the message of the exception of type E that \p f throws.
template <class E, class F> std::string messageOf(F f) {
  try {
    f();
  } catch (const E &error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

class EngineErrors : public ::testing::Test {
protected:
  EngineErrors() : device_(IPUModel().createDevice()), graph_(device_) { device_.attach(); }
  void addCodelets(const char *text) {
    std::stringstream source(text);
    graph_.addCodelets(source);
  }
  Tensor on(unsigned tile, const Type &type, std::vector<std::size_t> shape, const char *name) {
    const Tensor t = graph_.addVariable(type, shape, name);
    graph_.setTileMapping(t, tile);
    return t;
  }
  Device device_;
  Graph graph_;
};

TEST_F(EngineErrors, NameAnUnmappedTensorAndTheEdge) {
  addCodelets(
      "#include <poplar/Vertex.hpp>\n"
      "struct Read : poplar::Vertex { poplar::Input<int> x; bool compute() { return true; } };");
  const ComputeSet set = graph_.addComputeSet("cs");
  const Tensor x = graph_.addVariable(INT, {}, "lost");
  graph_.setTileMapping(graph_.addVertex(set, "Read", {{"x", x}}), 0);
  const auto message = messageOf<invalid_tile_mapping>([&] { Engine(graph_, Execute(set)); });
  EXPECT_THAT(message, AllOf(HasSubstr("'lost'"), HasSubstr("field 'x' of vertex 'Read'")));
}

TEST_F(EngineErrors, NameIpuTileAndBytesThatDoNotFit) {
  on(7, FLOAT, {200'000}, "huge");
  const auto message =
      messageOf<graph_memory_allocation_error>([&] { Engine(graph_, Sequence()); });
  EXPECT_THAT(message, StartsWith("Out of memory: Cannot fit all variable data onto one or more"));
  EXPECT_THAT(message, AllOf(HasSubstr("IPU 0 tile 7"), HasSubstr("800,000"), HasSubstr("638,9"),
                             HasSubstr("'huge'")));
}

TEST_F(EngineErrors, NameTheVertexThatFaults) {
  addCodelets("#include <poplar/Vertex.hpp>\n"
              "struct Bad : poplar::Vertex { poplar::InOut<int> x;\n"
              "  bool compute() { *x = 100 / *x; return true; } };");
  const ComputeSet set = graph_.addComputeSet("cs");
  graph_.setTileMapping(graph_.addVertex(set, "Bad", {{"x", on(3, INT, {}, "x")}}), 3);
  Engine engine(graph_, Execute(set));
  engine.load(device_);
  const auto message = messageOf<application_runtime_error>([&] { engine.run(); });
  EXPECT_THAT(message, AllOf(HasSubstr("tile 3"), HasSubstr("Bad"), HasSubstr("cs")));
  engine.load(device_); // and continues
  EXPECT_THROW(engine.run(), application_runtime_error);
}

TEST_F(EngineErrors, NameTwoVerticesThatWriteTheSame) {
  addCodelets(
      "#include <poplar/Vertex.hpp>\n"
      "struct Write : poplar::Vertex { poplar::Output<int> x; bool compute() { return true; } };");
  const ComputeSet set = graph_.addComputeSet("cs");
  const Tensor x = on(0, INT, {}, "x");
  for (int i = 0; i < 2; ++i)
    graph_.setTileMapping(graph_.addVertex(set, "Write", {{"x", x}}), 0);
  EXPECT_THAT(messageOf<graph_cycle_error>([&] { Engine(graph_, Execute(set)); }),
              HasSubstr("variable 'x'"));
}

TEST_F(EngineErrors, RefuseToWriteAConstant) {
  const Tensor one = graph_.addConstant(INT, {}, 1);
  graph_.setTileMapping(one, 0);
  EXPECT_THROW(Engine(graph_, Copy(on(0, INT, {}, "x"), one)), poplar_error);
}

TEST_F(EngineErrors, RefuseProgramsOfAnotherGraph) {
  const auto messageFor = [&](const Program &program) {
    return messageOf<control_program_error>([&] { Engine(graph_, program); });
  };
  Graph other(device_);
  const Tensor x = other.addVariable(INT, {3}, VariableMappingMethod::LINEAR, "x");
  const DataStream stream = other.addDeviceToHostFIFO("s", INT, 3);
  const RemoteBuffer buffer = other.addRemoteBuffer("b", INT, 3);
  EXPECT_THAT(messageFor(Execute(ComputeSet(), "none")),
              AllOf(HasSubstr("'none'"), HasSubstr("compute set")));
  EXPECT_THAT(messageFor(Repeat(2, Execute(other.addComputeSet()))), HasSubstr("compute set"));
  EXPECT_THAT(messageFor(Call(other.addFunction(Sequence()))), HasSubstr("function"));
  EXPECT_THAT(messageFor(Copy(x, x.reverse(0))), HasSubstr("tensor"));
  const Tensor ours = on(0, INT, {1}, "ours");
  EXPECT_THAT(messageFor(If(ours, PrintTensor(x), Sequence())), HasSubstr("tensor"));
  EXPECT_THAT(messageFor(Copy(x, stream)), HasSubstr("stream"));
  EXPECT_THAT(messageFor(Copy(x, buffer)), HasSubstr("remote buffer"));
}

TEST_F(EngineErrors, RefuseAnUnsplittableStreamCopyOfMoreThan128MiB) {
  const std::size_t elements = (129u << 20) / 4;
  const Tensor t = graph_.addVariable(FLOAT, {elements}, VariableMappingMethod::LINEAR, "t");
  const DataStream in = graph_.addHostToDeviceFIFO(
      "in", FLOAT, elements, ReplicatedStreamMode::REPLICATE, {{"splitLimit", "0"}});
  EXPECT_THAT(messageOf<stream_memory_allocation_error>([&] { Engine(graph_, Copy(in, t)); }),
              AllOf(HasSubstr("'in'"), HasSubstr("splitLimit")));
}

/// Runs a program with a slow callback, while another IPU waits for its result.
void runWithSlowHost(const char *hostSyncTimeout) {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 2;
  const Device device = model.createDevice();
  Graph graph(device);
  const Tensor here = graph.addVariable(INT, {1}, "here"), there = graph.addVariable(INT, {1});
  graph.setTileMapping(here, 0);
  graph.setTileMapping(there, 2);
  const DataStream in = graph.addHostToDeviceFIFO("in", INT, 1);
  Engine engine(graph, Sequence(Copy(in, here), Copy(here, there)),
                {{"target.hostSyncTimeout", hostSyncTimeout}});
  engine.connectStreamToCallback(
      "in", [](void *) { std::this_thread::sleep_for(std::chrono::milliseconds(700)); });
  engine.load(device);
  engine.run();
}

TEST(EngineTimeouts, FollowTheHostSyncTimeout) {
  EXPECT_THROW(runWithSlowHost("0.1"), application_runtime_error);
  EXPECT_NO_THROW(runWithSlowHost("100"));
}

/// Runs a program in which one IPU computes for more than half a second, while the other waits for
/// its result.
void runWithSlowVertex(const OptionFlags &options) {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 2;
  const Device device = model.createDevice();
  Graph graph(device);
  std::stringstream codelets(R"(
    #include <ctime>
    #include <poplar/Vertex.hpp>
    class Slow : public poplar::Vertex {
    public:
      poplar::Output<int> out;
      bool compute() {
        const std::clock_t end = std::clock() + CLOCKS_PER_SEC * 6 / 10;
        while (std::clock() < end)
          *out = 1;
        return true;
      }
    };)");
  graph.addCodelets(codelets);
  const Tensor here = graph.addVariable(INT, {}, "here"), there = graph.addVariable(INT, {});
  graph.setTileMapping(here, 0);
  graph.setTileMapping(there, 2);
  const ComputeSet set = graph.addComputeSet("slow");
  graph.setTileMapping(graph.addVertex(set, "Slow", {{"out", here}}), 0);
  Engine engine(graph, Sequence(Execute(set), Copy(here, there)), options);
  engine.load(device);
  engine.run();
}

TEST(EngineTimeouts, DoNotLimitComputeSetsNorIpusThatWaitForThem) {
  EXPECT_NO_THROW(runWithSlowVertex({{"target.hostSyncTimeout", "0.1"}}));
  EXPECT_THROW(runWithSlowVertex({{"target.hostSyncTimeout", "0.1"}, {"copse.syncTimeout", "0.1"}}),
               poplar_error);
}

TEST(EngineEnvironment, AnInvalidMachineModelIsNamedWithItsFile) {
  const std::string path = ::testing::TempDir() + "copse_model." + std::to_string(::getpid());
  std::ofstream(path) << R"({"name": "broken"})";
  ::setenv("COPSE_MACHINE_MODEL", path.c_str(), 1);
  const auto message = messageOf<invalid_machine_model>([] { return IPUModel().createDevice(); });
  ::unsetenv("COPSE_MACHINE_MODEL");
  std::remove(path.c_str());
  EXPECT_THAT(message, HasSubstr(path));
}

TEST(EngineEnvironment, AFolderForSocketsThatCannotBeCreatedIsNamed) {
  const Device device = attach(TargetType::IPU, 1);
  Engine engine(Graph{device}, Sequence());
  const char *const before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  ::setenv("TMPDIR", "/proc/nowhere", 1);
  const auto message = messageOf<application_runtime_error>([&] { engine.load(device); });
  before ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  EXPECT_THAT(message, AllOf(HasSubstr("/proc/nowhere"), HasSubstr("TMPDIR")));
}

TEST(EngineErrorsOnHardware, RefuseADeviceThatIsNotAttached) {
  const Device device = DeviceManager().getDevice(0);
  Engine engine(Graph{device}, Sequence());
  EXPECT_THAT(messageOf<poplar_error>([&] { engine.load(device); }), HasSubstr("attach"));
}

TEST(EngineErrorsOnHardware, RefuseADeviceOfAnotherSyncConfiguration) {
  const auto attachWith = [](const std::string &configuration) {
    auto devices =
        DeviceManager().getDevices(TargetType::IPU, 1, {{"syncConfiguration", configuration}});
    EXPECT_TRUE(devices.front().attach());
    return std::move(devices.front());
  };
  const Device ladder = attachWith("intraReplicaAndLadder");
  Engine engine(Graph{ladder}, Sequence());
  EXPECT_NO_THROW(engine.load(ladder));
  ladder.detach();
  const Device alone = attachWith("ipuAndAll");
  EXPECT_THAT(messageOf<poplar_error>([&] { engine.load(alone); }),
              AllOf(HasSubstr("intraReplicaAndLadder"), HasSubstr("ipuAndAll")));
}

TEST_F(EngineErrors, RefuseAnotherKindOfDevice) {
  Engine engine(graph_, Sequence());
  const Device cpu = Device::createCPUDevice();
  cpu.attach();
  EXPECT_THAT(messageOf<poplar_error>([&] { engine.load(cpu); }), HasSubstr("CPU"));
}

TEST_F(EngineErrors, RefuseToRunWithoutALoad) {
  Engine engine(graph_, Sequence());
  EXPECT_THAT(messageOf<poplar_error>([&] { engine.run(); }), HasSubstr("load"));
}

TEST_F(EngineErrors, NameAnUnknownOptionAndTheNearestKnown) {
  const auto message = messageOf<invalid_option>([&] {
    Engine(graph_, Sequence(), {{"exchange.enablePrefech", "true"}});
  });
  EXPECT_THAT(message,
              AllOf(HasSubstr("exchange.enablePrefech"), HasSubstr("exchange.enablePrefetch")));
}

} // namespace
} // namespace copse::test
