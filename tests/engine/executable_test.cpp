#include "devices.hpp"
#include "saved_program.hpp"

#include <fstream>
#include <poplar/exceptions.hpp>
#include <pva/pva.hpp>
#include <set>
#include <unistd.h>

namespace copse::test {
namespace {

using namespace poplar;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Device model(unsigned ipus) {
  IPUModel description;
  description.numIPUs = ipus;
  description.tilesPerIPU = 4;
  return description.createDevice();
}

/// Returns the sample program's result for 1, 10, 100, 1000 on the first replica.
std::vector<float> run(Executable &&executable, const Device &device, unsigned replicas) {
  Engine engine(std::move(executable));
  std::vector<float> in(4 * replicas), out(4 * replicas);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i + 1);
  engine.connectStream("to", in.data(), in.data() + in.size());
  engine.connectStream("from", out.data(), out.data() + out.size());
  std::ostringstream printed;
  engine.setPrintStream(printed);
  engine.load(device);
  engine.run();
  EXPECT_THAT(printed.str(), HasSubstr("out"));
  std::vector<float> start(4 * replicas);
  engine.readTensor("start", start.data(), start.data() + start.size());
  EXPECT_EQ(start.back(), 4.0f);
  std::vector<float> row(4);
  engine.copyFromRemoteBuffer("rows", row.data(), 0, replicas - 1);
  EXPECT_EQ(row.back(), out.back());
  return out;
}

TEST(Executables, HaveEqualBytesForEqualGraphs) {
  const Target target = model(2).getTarget();
  EXPECT_EQ(saved(compileSample(target, 2)), saved(compileSample(target, 2)));
  EXPECT_NE(saved(compileSample(target, 2)), saved(compileSample(target, 1)));
}

TEST(Executables, RunAsBeforeWhenTheyComeFromAFile) {
  const Device device = model(2);
  const std::string file = saved(compileSample(device.getTarget(), 2));
  EXPECT_EQ(saved(restored(file)), file);
  EXPECT_THAT(run(restored(file), device, 2), ElementsAre(3, 6, 9, 12, 15, 18, 21, 24));
}

TEST(Executables, LeaveTheStreamAfterTheirOwnBytes) {
  const Device device = model(1);
  const Executable first = compileSample(device.getTarget(), 1);
  std::stringstream archive;
  archive << "name ";
  first.serialize(archive);
  first.serialize(archive);
  archive << "end";
  std::string name, end;
  archive >> name;
  archive.get();
  EXPECT_THAT(run(Executable::deserialize(archive), device, 1), ElementsAre(3, 6, 9, 12));
  EXPECT_EQ(saved(Executable::deserialize(archive)), saved(first));
  archive >> end;
  EXPECT_EQ(end, "end");
}

TEST(Executables, AreReadFromAStreamWithOtherData) {
  const Device device = model(1);
  const std::string file = saved(compileSample(device.getTarget(), 1));
  EXPECT_THAT(run(Executable::deserialize(std::make_unique<std::istringstream>(file)), device, 1),
              ElementsAre(3, 6, 9, 12));
  EXPECT_THROW(Executable::deserialize(std::unique_ptr<std::istream>()), poplar_error);
}

TEST(Executables, AreEmptyUntilAssigned) {
  Executable none;
  EXPECT_THROW(saved(none), poplar_error);
  EXPECT_THROW(Engine(std::move(none)), poplar_error);
  Executable later;
  later = compileSample(model(1).getTarget(), 1);
  EXPECT_FALSE(saved(later).empty());
}

TEST(Executables, RunInAnotherProcess) {
  const std::string path =
      ::testing::TempDir() + "copse_executable_test." + std::to_string(::getpid());
  const Device device = model(1);
  std::ofstream(path, std::ios::binary) << saved(compileSample(device.getTarget(), 1));
  const std::string command = "/proc/" + std::to_string(::getpid()) +
                              "/exe --gtest_filter=Executables.DISABLED_FromFile "
                              "--gtest_also_run_disabled_tests > /dev/null 2>&1";
  const int status = std::system(("COPSE_TEST_EXECUTABLE=" + path + " " + command).c_str());
  EXPECT_EQ(status, 0);
  std::remove(path.c_str());
}

// Runs in the other process of the test above.
TEST(Executables, DISABLED_FromFile) {
  const char *const path = std::getenv("COPSE_TEST_EXECUTABLE");
  ASSERT_NE(path, nullptr);
  std::ifstream file(path, std::ios::binary);
  EXPECT_THAT(run(Executable::deserialize(file), model(1), 1), ElementsAre(3, 6, 9, 12));
}

TEST(Executables, AreWrittenByEngines) {
  const Target target = model(1).getTarget();
  const std::string file = saved(compileSample(target, 1));
  const Engine engine(compileSample(target, 1));
  std::ostringstream out;
  engine.serializeExecutable(out);
  EXPECT_EQ(out.str(), file);
}

TEST(Executables, AreSavedAsAnArchive) {
  const std::string path = ::testing::TempDir() + "copse_archive." + std::to_string(::getpid());
  const OptionFlags options{{"target.saveArchive", path}};
  const std::string file = saved(compileSample(model(1).getTarget(), 1, options));
  std::ifstream archive(path, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(archive), {}), file);
  std::remove(path.c_str());
}

TEST(Executables, KeepTheOptionsOfTheirCompilation) {
  const Device device = Device::createCPUDevice();
  Graph graph(device);
  const Executable plain = compileGraph(graph, {program::Sequence()});
  std::istringstream file(
      saved(compileGraph(graph, {program::Sequence()}, {{"debug.instrument", "true"}})));
  Engine instrumented(Executable::deserialize(file));
  EXPECT_NO_THROW(instrumented.getReport().execution());
  Engine overridden(restored(saved(plain)), {{"debug.instrument", "false"}});
  EXPECT_THROW(overridden.getReport().execution(), missing_profile_data);
}

TEST(Executables, AreRefusedForOtherTargets) {
  Engine engine(restored(saved(compileSample(model(1).getTarget(), 1))));
  EXPECT_THROW(engine.load(model(2)), poplar_error);
}

TEST(Executables, AreRefusedForOtherBytes) {
  EXPECT_THROW(restored(""), file_load_error);
  EXPECT_THROW(restored("COPSE-EXE 1\n"), file_load_error);
  EXPECT_THROW(restored(std::string(1000, 'x')), file_load_error);
  const std::string file = saved(compileSample(model(1).getTarget(), 1));
  for (std::size_t size = 0; size < file.size(); size += 97)
    EXPECT_THROW(restored(file.substr(0, size)), file_load_error) << size;
  for (std::size_t at = 0; at < file.size(); at += 101) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_THROW(restored(damaged), file_load_error) << at;
  }
}

TEST(EngineOptions, SoftwareSyncsAreRefusedIfTheyAreImpossible) {
  const Target target = Target::createIPUTarget(2, "ipu2", {{"syncConfiguration", "ipuAndAll"}});
  Graph graph(target);
  EXPECT_THROW(compileGraph(graph, {program::Sequence()}, {{"opt.enableSwSyncs", "true"}}),
               invalid_option);
}

TEST(EngineOptions, WarnOnceIfTheyHaveNoEffect) {
  Graph graph(model(1).getTarget());
  const OptionFlags options{{"debug.traceFile", "trace.json"}};
  ::testing::internal::CaptureStderr();
  compileGraph(graph, {program::Sequence()}, options);
  const Engine engine(graph, program::Sequence(), options);
  const std::string told = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, HasSubstr("debug.traceFile"));
  EXPECT_EQ(told.find("warning"), told.rfind("warning"));
}

TEST(EngineOptions, AcceptWellFormedOptionsOfTheSimulator) {
  Graph graph(model(1).getTarget());
  ::setenv("POPLAR_SIMULATOR_OPTIONS", R"({"whatever": "1"})", 1);
  EXPECT_NO_THROW(compileGraph(graph, {program::Sequence()}));
  ::setenv("POPLAR_SIMULATOR_OPTIONS", "{", 1);
  EXPECT_THROW(compileGraph(graph, {program::Sequence()}), parse_error);
  ::unsetenv("POPLAR_SIMULATOR_OPTIONS");
}

TEST(LifeCycle, LoadsInTwoHalvesAndStops) {
  const Device device = model(1);
  Graph graph(device.getTarget());
  const Tensor x = graph.addVariable(INT, {1}, "x");
  graph.setTileMapping(x, 0);
  graph.setInitialValue(x, 5);
  graph.createHostWrite("x", x);
  graph.createHostRead("x", x);
  Engine engine(graph, program::Sequence());
  int value = 7;
  EXPECT_THROW(engine.deploy(), poplar_error);
  engine.prepare(device);
  EXPECT_THROW(engine.run(), poplar_error);
  engine.deploy();
  engine.writeTensor("x", &value, &value + 1);
  engine.run();
  engine.readTensor("x", &value, &value + 1);
  EXPECT_EQ(value, 7);
  engine.stop();
  EXPECT_THROW(engine.run(), poplar_error);
  engine.deploy();
  engine.readTensor("x", &value, &value + 1);
  EXPECT_EQ(value, 5);
}

TEST(LifeCycle, TakesRuntimeOptionsAtALoad) {
  const Device device = model(1);
  Graph graph(device.getTarget());
  Engine engine(graph, program::Sequence());
  const RuntimeOptions longer({{"target.hostSyncTimeout", "1000"}});
  engine.load(device);
  EXPECT_THROW(engine.run(0, "", longer), invalid_option);
  engine.run(0, "", RuntimeOptions());
  engine.prepare(device, longer);
  engine.deploy();
  engine.run(0, "", longer);
  EXPECT_EQ(engine.getEngineOptions().at("target.hostSyncTimeout"), "1000");
  EXPECT_THROW(engine.prepare(device, RuntimeOptions({{"copse.report", "other.html"}})),
               invalid_option);
}

TEST(Executables, ServeSeveralEngines) {
  const Device device = model(1);
  const Executable executable = compileSample(device.getTarget(), 1);
  for (int i = 0; i < 2; ++i) {
    Engine engine(executable);
    engine.load(device);
    std::vector<float> start(4);
    engine.readTensor("start", start.data(), start.data() + start.size());
    EXPECT_EQ(start.back(), 4.0f);
  }
}

TEST(Logs, AreWrittenWhereTheEnvironmentSays) {
  const std::string path = ::testing::TempDir() + "copse_log." + std::to_string(::getpid());
  const std::string command =
      "POPLAR_LOG_LEVEL=INFO POPLAR_GRAPH_LOG_LEVEL=OFF POPLAR_LOG_DEST=" + path + " /proc/" +
      std::to_string(::getpid()) + "/exe --gtest_filter=LifeCycle.* > /dev/null 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream file(path);
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(log, HasSubstr("PO:ENGINE "));
  EXPECT_THAT(log, ::testing::Not(HasSubstr("PO:GRAPH")));
  EXPECT_THAT(log, ::testing::Not(HasSubstr("debug")));
  std::remove(path.c_str());
}

TEST(Progress, NeverGoesBackAndEndsAtItsTotal) {
  Graph graph(model(1).getTarget());
  std::vector<int> told;
  compileGraph(graph, {program::Sequence()}, {}, [&](int done, int total) {
    EXPECT_EQ(total, 100);
    told.push_back(done);
  });
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), 100);
  EXPECT_GT(std::set<int>(told.begin(), told.end()).size(), 6u) << "passes are told of";
}

} // namespace
} // namespace copse::test
