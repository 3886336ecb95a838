// Tests graphs that need more memory than a tile has.
#include "devices.hpp"
#include "temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <poplar/exceptions.hpp>
#include <pva/pva.hpp>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::AllOf;
using ::testing::HasSubstr;

const OptionFlags kAllowed{{"debug.allowOutOfMemory", "true"}};

class OutOfMemory : public ::testing::Test {
protected:
  OutOfMemory() : device_(IPUModel().createDevice()), graph_(device_) {}

  Tensor on(unsigned tile, std::size_t elements, const char *name) {
    const Tensor t = graph_.addVariable(INT, {elements}, name);
    graph_.setTileMapping(t, tile);
    graph_.createHostWrite(name, t);
    graph_.createHostRead(name, t);
    return t;
  }
  graph_memory_allocation_error failure(const OptionFlags &options = {}) {
    try {
      compileGraph(graph_, {Sequence()}, options);
    } catch (const graph_memory_allocation_error &error) {
      return error;
    }
    ADD_FAILURE() << "the graph fits";
    return graph_memory_allocation_error("");
  }

  const TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
  Device device_;
  Graph graph_;
};

TEST_F(OutOfMemory, NamesTheContentsOfTheWorstTiles) {
  on(3, 150'000, "large");
  on(3, 20'000, "small");
  on(5, 190'000, "largest");
  on(6, 100, "harmless");
  const std::string text = failure().what();
  EXPECT_THAT(text, AllOf(HasSubstr("IPU 0 tile 5 needs 760,"), HasSubstr("1 more tile(s)"),
                          HasSubstr("tile 5: 760,000 bytes: 760,000 variables; largest variables "
                                    "there: 'largest' 760,000"),
                          HasSubstr("'large' 600,000, 'small' 80,000")));
  EXPECT_LT(text.find("tile 5:"), text.find("tile 3:"));
  EXPECT_EQ(text.find("harmless"), std::string::npos);
}

TEST_F(OutOfMemory, IgnoresUnusedComputeSets) {
  std::stringstream source(
      "#include <poplar/Vertex.hpp>\n"
      "struct Reader : poplar::Vertex { poplar::Input<poplar::Vector<int>> x;\n"
      "  bool compute() { return true; } };");
  graph_.addCodelets(source);
  const Tensor parts =
      concat(on(0, 100'000, "a"), concat(on(1, 100'000, "b"), on(2, 100'000, "c")));
  const ComputeSet set = graph_.addComputeSet("unused");
  graph_.setTileMapping(graph_.addVertex(set, "Reader", {{"x", parts}}), 3);
  EXPECT_NO_THROW(compileGraph(graph_, {Sequence()}));
  const Function uncalled = graph_.addFunction(Execute(set));
  EXPECT_NO_THROW(compileGraph(graph_, {Sequence()}));
  EXPECT_THROW(compileGraph(graph_, {Call(uncalled)}), graph_memory_allocation_error);
}

TEST_F(OutOfMemory, DoesNotIncludeATileThatIsExactlyFull) {
  constexpr std::size_t kAll = (638'976 - 32) / 4; // but for what loads may run over the end
  on(70, kAll, "full");
  EXPECT_NO_THROW(compileGraph(graph_, {Sequence()}));
  on(70, 1, "more");
  EXPECT_THAT(failure().what(), HasSubstr("IPU 0 tile 70 needs 638,9"));
}

TEST_F(OutOfMemory, WritesAProfileIfRequested) {
  on(3, 200'000, "large");
  EXPECT_EQ(failure().profilePath, "");
  const auto error = failure(
      {{"autoReport.outputGraphProfile", "true"}, {"autoReport.directory", folder_.string()}});
  EXPECT_EQ(error.profilePath, (folder_ / "profile.pop").string());
  const pva::Report report = pva::openReport(error.profilePath);
  EXPECT_EQ(report.compilation().tiles().at(3).memory().total().excludingGaps(), 800'000u);
}

TEST_F(OutOfMemory, RunsOnAModelIfItIsAllowed) {
  constexpr std::size_t kElements = 200'000;
  const Tensor from = on(3, kElements, "from"), to = on(3, kElements, "to");
  Engine engine(graph_, Copy(from, to), kAllowed);
  engine.load(device_);
  std::vector<int> values(kElements), result(kElements);
  std::iota(values.begin(), values.end(), 1);
  engine.writeTensor("from", values.data(), values.data() + values.size());
  engine.run();
  engine.readTensor("to", result.data(), result.data() + result.size());
  EXPECT_EQ(result, values);
}

TEST_F(OutOfMemory, IsAnErrorOfTheLoadOnHardware) {
  Device device = attach(TargetType::IPU, 1);
  Graph graph(device);
  graph.setTileMapping(graph.addVariable(INT, {200'000}, "large"), 0);
  Engine engine(graph, Sequence(), kAllowed);
  EXPECT_THROW(engine.load(device), graph_memory_allocation_error);
  Graph fits(device);
  Engine small(fits, Sequence(), kAllowed);
  EXPECT_NO_THROW(small.load(device));
}

TEST_F(OutOfMemory, IsAnErrorOfTheCompilationForHardwareIfAProfileIsRequested) {
  Graph graph(attach(TargetType::IPU, 1));
  const Tensor large = graph.addVariable(INT, {200'000}, "large");
  graph.setTileMapping(large, 0);
  graph.createHostRead("large", large);
  OptionFlags options = kAllowed;
  options.set(
      {{"autoReport.outputGraphProfile", "true"}, {"autoReport.directory", folder_.string()}});
  try {
    Engine engine(graph, Sequence(), options);
    FAIL() << "the graph fits";
  } catch (const graph_memory_allocation_error &error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith("Out of memory: Cannot fit all variable data"));
    EXPECT_EQ(error.profilePath, (folder_ / "profile.pop").string());
  }
}

TEST_F(OutOfMemory, IsAnErrorIfNoAddressIsLeft) {
  on(3, 500'000, "hopeless"); // 2 MB: more than 21 bits of address less what lies below memory
  EXPECT_THAT(failure(kAllowed).what(), HasSubstr("'hopeless'"));
}

TEST_F(OutOfMemory, IsAnErrorIfAFieldCannotHoldTheAddress) {
  std::stringstream codelets(R"(
    #include <poplar/Vertex.hpp>
    class Touch : public poplar::Vertex {
    public:
      poplar::InOut<poplar::Vector<int, poplar::VectorLayout::SHORT_SPAN>> x;
      bool compute() { x[0] = 1; return true; }
    };)");
  graph_.addCodelets(codelets);
  on(3, 300'000, "filler");
  const Tensor far = on(3, 4, "far"); // above 1 MiB: SHORT_SPAN has 20 bits
  const ComputeSet set = graph_.addComputeSet("set");
  graph_.setTileMapping(graph_.addVertex(set, "Touch", {{"x", far}}), 3);
  try {
    compileGraph(graph_, {Execute(set)}, kAllowed);
    FAIL() << "a pointer was cut";
  } catch (const graph_memory_allocation_error &error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("SHORT_SPAN"), HasSubstr("field 'x'")));
  }
}

TEST_F(OutOfMemory, WritesAllAddressesToTheVariableDump) {
  const std::string path = (folder_ / "variables.txt").string();
  const Tensor t = graph_.addVariable(FLOAT, {6}, "t");
  graph_.setTileMapping(t.slice(0, 4), 2);
  graph_.setTileMapping(t.slice(4, 6), 7);
  graph_.createHostRead("t", t);
  compileGraph(graph_, {Sequence()}, {{"debug.loweredVarDumpFile", path}});
  std::ifstream file(path);
  std::string heading, first, second, more;
  ASSERT_TRUE(std::getline(file, heading) && std::getline(file, first) &&
              std::getline(file, second));
  EXPECT_FALSE(std::getline(file, more));
  EXPECT_THAT(first, ::testing::MatchesRegex("0\tt\tfloat\t0\t4\t0\t2\t0x[0-9a-f]+\t16"));
  EXPECT_THAT(second, ::testing::MatchesRegex("0\tt\tfloat\t4\t6\t0\t7\t0x[0-9a-f]+\t8"));
  EXPECT_THROW(compileGraph(graph_, {Sequence()},
                            {{"debug.loweredVarDumpFile", (folder_ / "none" / "x").string()}}),
               file_load_error);
}

} // namespace
} // namespace copse::test
