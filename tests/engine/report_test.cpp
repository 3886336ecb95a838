#include "devices.hpp"
#include "temporary_folder.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <pva/pva.hpp>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char *kReportCodelets = R"(
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
)";

/// Four tiles that double 25 floats each; one more compute set that no program runs.
class Reports : public ::testing::Test {
protected:
  Reports() : device_(makeDevice()), graph_(device_) {
    std::stringstream codelets(kReportCodelets);
    graph_.addCodelets(codelets);
    data_ = graph_.addVariable(FLOAT, {100}, "data");
    used_ = graph_.addComputeSet("outer/used");
    graph_.addComputeSet("unused");
    for (unsigned tile = 0; tile < 4; ++tile) {
      const Tensor part = data_.slice(tile * 25, tile * 25 + 25);
      graph_.setTileMapping(part, tile);
      const VertexRef vertex = graph_.addVertex(used_, "Twice", {{"data", part}});
      graph_.setTileMapping(vertex, tile);
      graph_.setPerfEstimate(vertex, 100 + tile);
    }
    const Tensor constant = graph_.addConstant<int>(INT, {3}, 7, "seven");
    graph_.setTileMapping(constant, 0);
  }

  static Device makeDevice() {
    IPUModel model;
    model.tilesPerIPU = 4;
    return model.createDevice();
  }

  Engine engine(const OptionFlags &options = {}) {
    return Engine(graph_, Repeat(3, Execute(used_)), options);
  }

  Device device_;
  Graph graph_;
  Tensor data_;
  ComputeSet used_;
};

TEST_F(Reports, CountTheContentsOfTheProgram) {
  const auto compilation = engine().getReport(false).compilation();
  EXPECT_EQ(compilation.graph().numVertices(), 4u);
  EXPECT_EQ(compilation.graph().numComputeSets(), 1u);
  EXPECT_EQ(compilation.target().numTiles(), 4u);
  for (const auto &tile : compilation.tiles()) {
    ASSERT_EQ(tile.memory().vertices().size(), 1u);
    EXPECT_EQ(tile.memory().vertices()[0].type().name(), "Twice");
  }
}

TEST_F(Reports, AccountForTileMemory) {
  const auto tiles = engine().getReport(false).compilation().tiles();
  const auto memory = tiles[1].memory();
  EXPECT_EQ(memory.category().variable().nonInterleaved().total(), 100u);
  EXPECT_GE(memory.category().vertexInstanceState().nonInterleaved().total(), 8u);
  EXPECT_EQ(memory.category().constant().nonInterleaved().total(), 0u);
  EXPECT_EQ(tiles[0].memory().category().constant().nonInterleaved().total(), 12u);
  EXPECT_LT(memory.total().excludingGaps(), 200u);
}

TEST_F(Reports, ShowTheCyclesOfEveryTileAndStep) {
  Engine e = engine();
  e.load(device_);
  e.run(0, "first");
  const auto steps = e.getReport().execution().steps();
  ASSERT_EQ(steps.size(), 3u);
  for (const auto &step : steps) {
    const auto sets = step.computeSets();
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_EQ(sets[0].name(), "outer/used");
    const auto cycles = sets[0].cyclesByTile();
    ASSERT_EQ(cycles.size(), 4u);
    for (unsigned tile = 1; tile < 4; ++tile)
      EXPECT_EQ(cycles[tile] - cycles[0], 6 * tile) << "one worker of six has 100 + tile turns";
  }
}

TEST_F(Reports, ListEntriesThatTheirFiltersMatch) {
  const auto execution = [&](const OptionFlags &options) {
    Engine e = engine(options);
    e.load(device_);
    e.run();
    return e.getReport().execution();
  };
  const auto all = execution({});
  ASSERT_EQ(all.steps().size(), 3u);
  ASSERT_EQ(all.blocks(2).size(), 3u);
  EXPECT_EQ(execution({{"profiler.programs.filter", "^outer/us"}}).steps().size(), 3u);
  EXPECT_TRUE(execution({{"profiler.programs.filter", "^inner"}}).steps().empty());
  EXPECT_TRUE(execution({{"profiler.programs.filter", "^inner"}}).blocks(2).empty());
  EXPECT_EQ(execution({{"profiler.programs.filter", "used$"}}).blocks(2).size(), 3u);
  EXPECT_TRUE(execution({{"profiler.blocks.filter", "used$"}}).blocks(2).empty())
      << "a filter of blocks matches program::Blocks only";
  EXPECT_THROW(execution({{"profiler.blocks.filter", "("}}), invalid_option);
}

/// The device is not a model, and there is no instrumentation: a filter requests a profile by
/// itself.
TEST(LightweightProfiles, ShowBlocksThatTheirFilterMatches) {
  const Device device = attach(TargetType::IPU, 1);
  Graph graph(device);
  std::stringstream codelets(kReportCodelets);
  graph.addCodelets(codelets);
  const Tensor data = graph.addVariable(FLOAT, {8}, "data");
  const ComputeSet set = graph.addComputeSet("set");
  for (unsigned tile = 0; tile < 2; ++tile) {
    graph.setTileMapping(data.slice(4 * tile, 4 * tile + 4), tile);
    graph.setTileMapping(
        graph.addVertex(set, "Twice", {{"data", data.slice(4 * tile, 4 * tile + 4)}}), tile);
  }
  const auto execution = [&](const OptionFlags &options) {
    const Block inner(Execute(set), "inner");
    Engine engine(graph, Repeat(3, Block(Sequence({inner, Execute(set)}), "outer")), options);
    engine.load(device);
    engine.run();
    return engine.getReport();
  };
  const auto names = [](const std::vector<pva::Block> &blocks) {
    std::vector<std::string> all;
    for (const pva::Block &block : blocks)
      all.push_back(block.program()->name());
    return all;
  };
  EXPECT_THROW(execution({}).execution(), missing_profile_data);
  const pva::Execution both = execution({{"profiler.blocks.filter", "outer|inner"}}).execution();
  EXPECT_THAT(names(both.blocks(0)),
              ElementsAre("outer", "inner", "outer", "inner", "outer", "inner"));
  EXPECT_TRUE(both.blocks(1).empty()) << "blocks are those of the first tile of an IPU";
  const auto blocks = both.blocks(0);
  EXPECT_EQ(blocks[0].cyclesFrom(), blocks[1].cyclesFrom());
  EXPECT_GT(blocks[0].cyclesTo(), blocks[1].cyclesTo());
  EXPECT_GE(blocks[2].cyclesFrom(), blocks[0].cyclesTo());
  EXPECT_FALSE(blocks[0].program()->children().empty());
  EXPECT_THAT(names(execution({{"profiler.blocks.filter", "^inn"}}).execution().blocks(0)),
              ElementsAre("inner", "inner", "inner"));
  EXPECT_EQ(execution({{"profiler.programs.filter", "^set$"}}).execution().steps().size(), 6u);
}

/// Two stages of a pipeline run, each on an IPU of its own; blocks have the names of their compute
/// sets.
TEST(LightweightProfiles, ShowEachBlockOnceOnItsIpus) {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 2;
  const Device device = model.createDevice();
  Graph graph(device);
  std::stringstream codelets(kReportCodelets);
  graph.addCodelets(codelets);
  const Tensor data = graph.addVariable(FLOAT, {4}, "data");
  const auto stage = [&](unsigned ipu, const std::string &name) {
    const Tensor part = data.slice(2 * ipu, 2 * ipu + 2);
    graph.setTileMapping(part, 2 * ipu);
    const ComputeSet set = graph.addComputeSet("op");
    const VertexRef vertex = graph.addVertex(set, "Twice", {{"data", part}});
    graph.setTileMapping(vertex, 2 * ipu);
    graph.setPerfEstimate(vertex, 1000);
    return Block(Block(Execute(set), "op"), name);
  };
  Engine engine(graph, Repeat(2, Sequence({stage(0, "first"), stage(1, "second")})),
                {{"profiler.blocks.filter", "first|second|op"}});
  engine.load(device);
  engine.run();
  const pva::Report report = engine.getReport();
  const auto names = [&](unsigned tile) {
    std::vector<std::string> all;
    for (const pva::Block &block : report.execution().blocks(tile))
      all.push_back(block.program()->name());
    return all;
  };
  EXPECT_THAT(names(0), ElementsAre("first", "op", "first", "op"));
  EXPECT_THAT(names(2), ElementsAre("second", "op", "second", "op"));
}

TEST_F(Reports, ShowTheCyclesOfTheVerticesOfAComputeSet) {
  const pva::Compilation compilation = engine().getReport().compilation();
  for (const auto &program : compilation.programs()) {
    const auto *execute = dynamic_cast<const pva::OnTileExecuteProgram *>(program.get());
    if (execute == nullptr)
      continue;
    const auto vertices = execute->computeset().vertices();
    ASSERT_EQ(vertices.size(), 4u);
    EXPECT_THAT(vertices[0].countByTile(), ElementsAre(1, 1, 1, 1));
    EXPECT_GT(vertices[0].type().size(), 0u);
    EXPECT_THAT(execute->controlCodeByTile(), ElementsAre(36, 36, 36, 36));
    EXPECT_EQ(execute->debugContext().name(), "outer/used");
    EXPECT_THAT(execute->debugContext().json(), HasSubstr("outer/used"));
    return;
  }
  FAIL() << "there is no such program";
}

TEST_F(Reports, GroupProgramsByTheirOperations) {
  const pva::Report report = engine().getReport();
  const pva::OperationAnalysis analysis(report);
  for (const pva::Operation &operation : analysis.operations())
    if (operation.name() == "outer/used") {
      EXPECT_EQ(operation.programs().size(), 1u);
      EXPECT_FALSE(operation.vars().empty());
      EXPECT_LE(operation.firstStepIndex(), operation.lastStepIndex());
      return;
    }
  FAIL() << "there is no such operation";
}

TEST_F(Reports, StepsHaveThePartsOfEachIpu) {
  Engine e = engine();
  e.load(device_);
  e.run();
  for (const auto &step : e.getReport().execution().steps()) {
    ASSERT_EQ(step.ipus().size(), 1u);
    EXPECT_EQ(step.ipus()[0].cycles(), step.cycles());
    EXPECT_EQ(step.ipus()[0].cyclesFrom(), step.cyclesFrom());
  }
}

TEST_F(Reports, HaveAFolderForEachNamedEngine) {
  const std::string directory = ::testing::TempDir() + "copse_named_engines";
  std::filesystem::remove_all(directory);
  for (const char *name : {"first", "second/part"})
    Engine(graph_, Execute(used_),
           {{"autoReport.all", "true"}, {"autoReport.directory", directory}}, ProgressFunc(), name);
  EXPECT_TRUE(std::filesystem::exists(directory + "/first/profile.pop"));
  EXPECT_TRUE(std::filesystem::exists(directory + "/second_part/profile.pop"));
  EXPECT_FALSE(std::filesystem::exists(directory + "/profile.pop"));
}

TEST_F(Reports, StepsAddUpToTheDevicesOwnClock) {
  Engine e = engine();
  e.load(device_);
  e.run();
  e.run();
  const ProfileValue profile = e.getExecutionProfile();
  const auto &runs = profile["runs"].asVector();
  ASSERT_EQ(runs.size(), 2u);
  const std::uint64_t steps = profile["cycles"]["compute"].asUint64();
  EXPECT_EQ(steps, profile["cycles"]["total"].asUint64());
  EXPECT_TRUE(runs[1]["complete"].asBool());
}

TEST_F(Reports, RecordTheRequestedData) {
  Engine e = engine({{"autoReport.executionProfileProgramRunCount", "3"}});
  e.load(device_);
  e.disableExecutionProfiling();
  e.run();
  EXPECT_THROW(e.getReport().execution(), missing_profile_data);
  e.enableExecutionProfiling();
  for (int i = 0; i < 5; ++i)
    e.run();
  EXPECT_EQ(e.getExecutionProfile()["runs"].size(), 3u);
  e.resetExecutionProfile();
  EXPECT_EQ(e.getExecutionProfile()["runs"].size(), 0u);
}

TEST_F(Reports, HaveNoExecutionUnlessRequested) {
  EXPECT_THROW(engine().getReport(false).execution(), missing_profile_data);
}

TEST_F(Reports, ExistBeforeAProgramIsLoaded) {
  std::ostringstream out;
  engine().printProfileSummary(out, {{"showExecutionSteps", "true"}, {"showVarStorage", "true"}});
  EXPECT_THAT(out.str(), HasSubstr("Number of vertices:"));
  EXPECT_THAT(out.str(), HasSubstr("0 tile(s) out of memory"));
}

TEST_F(Reports, DescribeTheTarget) {
  const auto target = engine().getReport(false).compilation().target();
  EXPECT_EQ(target.architecture(), pva::IPU::Architecture::Ipu2);
  EXPECT_EQ(target.numIPUs(), 1u);
  EXPECT_EQ(target.tilesPerIpu(), 4u);
  EXPECT_EQ(target.numReplicas(), 1u);
  EXPECT_EQ(target.bytesPerTile(), device_.getTarget().getBytesPerTile());
  EXPECT_EQ(target.totalMemory(), 4 * target.bytesPerTile());
  EXPECT_EQ(target.clockFrequency(), device_.getTarget().getTileClockFrequency());
}

TEST_F(Reports, WriteAProfileFileThatSummariesRead) {
  const std::string directory = ::testing::TempDir() + "copse_report_test/deep";
  std::filesystem::remove_all(directory);
  Engine e = engine({{"autoReport.all", "true"}, {"autoReport.directory", directory}});
  const std::string path = directory + "/profile.pop";
  EXPECT_EQ(pva::openReport(path).compilation().graph().numVertices(), 4u);
  EXPECT_THROW(pva::openReport(path).execution(), missing_profile_data);
  e.load(device_);
  e.run();
  EXPECT_EQ(pva::openReport(path).execution().steps().size(), 3u);
  EXPECT_EQ(pva::openReport(path).execution().blocks(2).size(), 3u);
  std::ostringstream fromFile, fromEngine;
  printProfileSummary(fromFile, path, {{"showExecutionSteps", "true"}});
  printProfileSummary(fromEngine, e.getGraphProfile(), e.getExecutionProfile(),
                      {{"showExecutionSteps", "true"}});
  EXPECT_EQ(fromFile.str(), fromEngine.str());
  EXPECT_THAT(fromFile.str(), HasSubstr("OnTileExecute (cycles "));
  std::filesystem::remove_all(directory);
}

TEST_F(Reports, WriteTheOtherFilesThatOptionsName) {
  const TemporaryFolder folder;
  const auto content = [&](const char *name) {
    std::ifstream file(folder.file(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const OptionFlags here{{"autoReport.directory", folder.path().string()}};
  const auto with = [&](const char *option) {
    OptionFlags flags = here;
    flags.set(option, "true");
    return flags;
  };
  engine(here);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "nobody asked";
  engine(with("autoReport.outputLoweredVars"));
  EXPECT_THAT(content("vars.txt"), HasSubstr("data"));
  engine(with("autoReport.outputSerializedGraph"));
  EXPECT_EQ(nlohmann::json::parse(content("serialized_graph.json"))["vertices"].size(), 4u);
  engine(with("autoReport.outputDebugInfo"));
  const auto contexts = nlohmann::json::from_cbor(content("debug.cbor"))["contexts"];
  EXPECT_THAT(contexts.dump(), HasSubstr(R"("category":"computeset")"));
  engine(with("autoReport.outputArchive"));
  std::ifstream archive(folder.file("archive.a"), std::ios::binary);
  Engine again(Executable::deserialize(archive));
  again.load(device_);
  EXPECT_NO_THROW(again.run());
}

TEST_F(Reports, ListIntervalsAsCommaSeparatedValues) {
  Engine e = engine();
  e.load(device_);
  e.run();
  std::ostringstream out;
  e.reportIntervals(out);
  EXPECT_THAT(out.str(), HasSubstr("program,type,from,to,name\n0,compute,"));
  EXPECT_THAT(out.str(), HasSubstr(",\"outer/used\"\n"));
}

} // namespace
} // namespace copse::test
