#include "devices.hpp"
#include "saved_program.hpp"
#include "spoiled_files.hpp"
#include "temporary_folder.hpp"

#include "disk_cache/file_cache.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <pva/pva.hpp>
#include <unistd.h>

namespace copse::test {
namespace {

namespace fs = std::filesystem;
using namespace poplar;
using namespace poplar::program;
using ::testing::ElementsAre;

const OptionFlags kOn{{"copse.executableCache", "on"}};

/// Uses a cache of the test's own. The cache of codelets is shared, because codelets take long to
/// compile.
class ExecutableCache : public ::testing::Test {
protected:
  ExecutableCache() {
    IPUModel model;
    model.numIPUs = 2;
    model.tilesPerIPU = 4;
    device_ = model.createDevice();
  }
  ~ExecutableCache() override { ::unsetenv("COPSE_CACHE_DIR"); }

  /// Returns a graph that copies \p value into a host tensor.
  Graph makeGraph(int value) const {
    Graph graph(device_.getTarget());
    const Tensor from = graph.addConstant(INT, {1}, value, "from");
    const Tensor to = graph.addVariable(INT, {1}, "to");
    graph.setTileMapping(from, 0);
    graph.setTileMapping(to, 5);
    graph.createHostRead("to", to);
    toCopy_ = Copy(from, to);
    return graph;
  }
  Executable compile(int value, const OptionFlags &options = kOn) const {
    ::setenv("COPSE_CACHE_DIR", folder_.c_str(), 1);
    const Graph graph = makeGraph(value);
    Executable executable = compileGraph(graph, {toCopy_}, options);
    ::unsetenv("COPSE_CACHE_DIR");
    return executable;
  }
  int run(Executable &&executable) const {
    Engine engine(std::move(executable));
    engine.load(device_);
    engine.run();
    int result = 0;
    engine.readTensor("to", &result, &result + 1);
    return result;
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> files;
    if (fs::exists(folder_ / "executables"))
      for (const auto &file : fs::directory_iterator(folder_ / "executables"))
        files.push_back(file.path());
    return files;
  }

  const copse::test::TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path();
  Device device_;
  mutable Program toCopy_;
};

TEST_F(ExecutableCache, ReturnsTheSameExecutable) {
  const std::string first = saved(compile(1));
  EXPECT_EQ(entries().size(), 1u);
  EXPECT_EQ(saved(compile(1)), first);
  EXPECT_EQ(entries().size(), 1u);
  EXPECT_EQ(run(compile(1)), 1);
}

TEST_F(ExecutableCache, ReadsAHitFromItsEntry) {
  compile(1);
  const fs::path entry = entries().at(0);
  // Stores the executable of another graph, which only the cache entry, and no compiler, can
  // return.
  const std::string other = saved(compile(2, {{"copse.executableCache", "off"}}));
  ::setenv("COPSE_CACHE_DIR", folder_.c_str(), 1);
  copse::disk_cache::FileCache("executables")
      .keep(entry.filename().string(), [&](std::ostream &out) { out << other; });
  EXPECT_EQ(run(compile(1)), 2);
}

TEST_F(ExecutableCache, DistinguishesGraphs) {
  EXPECT_EQ(run(compile(1)), 1);
  EXPECT_EQ(run(compile(2)), 2);
  EXPECT_EQ(entries().size(), 2u);
}

TEST_F(ExecutableCache, HasTheOptionsOfTheCallThatHits) {
  compile(1);
  OptionFlags options = kOn;
  options.set("debug.instrument", "true");
  const Engine plain(compile(1));
  Engine instrumented(compile(1, options));
  EXPECT_EQ(entries().size(), 1u);
  EXPECT_NO_THROW(instrumented.getReport().execution());
}

TEST_F(ExecutableCache, ReplacesADamagedEntry) {
  const std::string first = saved(compile(1));
  const fs::path entry = entries().at(0);
  const auto size = fs::file_size(entry);
  for (const auto &[kind, spoil] : copse::test::spoiledFiles()) {
    spoil(entry);
    EXPECT_EQ(saved(compile(1)), first) << "the entry is " << kind;
    if (fs::is_regular_file(fs::symlink_status(entry))) { // a folder with a file in it stays
      EXPECT_EQ(fs::file_size(entry), size) << kind;
    }
    fs::remove_all(entry);
    compile(1);
  }
}

TEST_F(ExecutableCache, IgnoresAnEntryOfAnotherGraph) {
  compile(1);
  const fs::path ofOne = entries().at(0);
  compile(2);
  const auto both = entries();
  ASSERT_EQ(both.size(), 2u);
  fs::rename(both[0] == ofOne ? both[1] : both[0], ofOne);
  EXPECT_EQ(run(compile(1)), 1);
}

TEST_F(ExecutableCache, StoresNothingIfItCannotWrite) {
  std::ofstream(folder_ / "executables") << "a file where a folder should be";
  EXPECT_EQ(run(compile(1)), 1);
}

TEST_F(ExecutableCache, SkipsGraphsThatCompileAtOnce) {
  compile(1, {});
  EXPECT_TRUE(entries().empty());
}

TEST_F(ExecutableCache, CanBeDisabled) {
  compile(1, {{"copse.executableCache", "off"}});
  EXPECT_TRUE(entries().empty());
}

TEST_F(ExecutableCache, OneOfManyThreadsAtOnceCompiles) {
  const Graph graph = makeGraph(1);
  std::atomic<int> compilations = 0;
  const auto count = [&](int done, int) { compilations += done == 66; }; // only while it compiles
  ::setenv("COPSE_CACHE_DIR", folder_.c_str(), 1);
  std::vector<std::future<std::string>> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(std::async(std::launch::async,
                             [&] { return saved(compileGraph(graph, {toCopy_}, kOn, count)); }));
  std::vector<std::string> files;
  for (auto &one : all)
    files.push_back(one.get());
  EXPECT_THAT(files, ::testing::Each(files.front()));
  EXPECT_EQ(compilations, 1);
  EXPECT_EQ(entries().size(), 1u);
}

TEST_F(ExecutableCache, ServesOtherProcesses) {
  compile(1);
  const std::string command = "COPSE_TEST_CACHE=" + folder_.string() + " /proc/" +
                              std::to_string(::getpid()) +
                              "/exe --gtest_filter=ExecutableCache.DISABLED_OfAnotherProcess "
                              "--gtest_also_run_disabled_tests > /dev/null 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(entries().size(), 1u);
}

// Runs in the other process of the test above, whose addresses differ.
TEST_F(ExecutableCache, DISABLED_OfAnotherProcess) {
  const char *const folder = std::getenv("COPSE_TEST_CACHE");
  ASSERT_NE(folder, nullptr);
  const fs::path own = std::exchange(folder_, folder);
  EXPECT_EQ(run(compile(1)), 1);
  folder_ = own;
}

TEST_F(ExecutableCache, DoesNotHideExceptionsOfEstimators) {
  Graph graph(device_.getTarget());
  std::stringstream codelets("#include <poplar/Vertex.hpp>\n"
                             "class A : public poplar::Vertex { public: bool compute() { return "
                             "true; } };");
  graph.addCodelets(codelets);
  const ComputeSet set = graph.addComputeSet("set");
  graph.setTileMapping(graph.addVertex(set, "A"), 0);
  graph.registerPerfEstimator("A",
                              [](const VertexIntrospector &, const Target &) -> VertexPerfEstimate {
                                throw std::domain_error("no estimate");
                              });
  EXPECT_THROW(compileGraph(graph, {Execute(set)}, kOn), std::domain_error);
}

} // namespace
} // namespace copse::test
