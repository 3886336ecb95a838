#include "pva/pva.hpp"

#include "poplar/exceptions.hpp"
#include "profile/profile_data.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace {

using namespace copse::profile;
namespace compiler = copse::compiler;
using ::testing::ElementsAre;

using compiler::LiveRanges;

/// Returns a report of one IPU of two tiles with 128 bytes each, from address 0x100 on, interleaved
/// from 0x140 on. A compute set of three vertices of two types runs once, then a stream copy.
/// Variables "a" and "b" share memory.
ReportData sample() {
  ReportData data;
  data.poplarVersion = "2.2.0 (test)";
  data.target.tilesPerIpu = 2;
  data.target.bytesPerTile = 128;
  data.target.memory = {0x140, 0x180};
  data.vertexTypes = {"Add<float>", "Copy"};
  data.memory.items = {
      {"a", MemoryUse::Variable, "float", {15}, 0, 60},
      {"b", MemoryUse::Variable, "float", {10}, 1, 40},
      {"vertexInstanceState", MemoryUse::VertexInstance, "", {}, LiveRanges::kAlways, 24},
      {"c", MemoryUse::Constant, "float", {8}, LiveRanges::kAlways, 32}};
  data.memory.ranges = {{{0, 1}}, {{2, 2}}};
  data.memory.firstBlock = {0, 3, 4};
  // On tile 0: 24 bytes of states; then 60 bytes, 40 of them shared, of which 36 and 16 lie below
  // 0x140.
  data.memory.blocks = {{2, 0x100, 24}, {0, 0x11C, 60}, {1, 0x11C, 40}, {3, 0x170, 32}};
  data.memory.bytesWithGaps = {88, 144};
  data.memory.vertexTypes = {{2, 10, 8, 0, 0}, {1, 0, 4, 0, 2}};
  data.memory.stepTimes = {0, 2};
  data.memory.stepItems = {{0, 3}, {1}};
  data.tiles = {{{{0, 2}}}, {{{1, 1}}}};
  data.computeSets = {{"outer/cs", {{0, 2}, {1, 1}}, {{0, 0, 1, 2}, {1, 1, 1, 1}}}};
  data.programs.resize(2);
  data.programs[0].type = pva::Program::Type::OnTileExecute;
  data.programs[0].name = "outer/cs";
  data.programs[1].type = pva::Program::Type::StreamCopyMid;
  data.programs[1].name = "in";
  data.programs[1].traffic = {{0, 2, 8, 0}};
  data.programs[1].transfers = {{false, 0, false, 16}};
  data.roots = {{0, 2}};
  data.streams = {{"in", false, false, 16}};
  data.hasExecution = true;
  RunRecord run;
  run.name = "first";
  run.to = 21;
  run.steps = 2;
  run.hostUses = {{false, 0, 1, 16, 9}};
  data.runs = {run};
  data.costs = {{0, {{0, 1, 12, 30}, {1, 1, 6, 6}}, {{0, 2, 30, 30}, {1, 1, 6, 6}}}};
  data.steps = {{0, 0, StepKind::Compute}, {1, StepReport::kNoCost, StepKind::HostExchange}};
  data.ends = {12, 21};
  data.blocks = {{"block", 0, 2}};
  data.blockRuns = {{0, 0, 2}};
  return data;
}

pva::Report reportOf(ReportData data) {
  return pva::Report(std::make_shared<const ReportData>(std::move(data)));
}

TEST(Reports, ShowTheCompilation) {
  const auto compilation = reportOf(sample()).compilation();
  EXPECT_EQ(compilation.graph().numVertices(), 3u);
  EXPECT_EQ(compilation.graph().numComputeSets(), 1u);
  EXPECT_EQ(compilation.target().numTiles(), 2u);
  std::vector<std::string> types;
  for (const auto &computeSet : compilation.computeSets())
    for (const auto &vertex : computeSet.vertices())
      types.push_back(vertex.type().name());
  EXPECT_THAT(types, ElementsAre("Add<float>", "Add<float>", "Copy"));
  const auto vertices = compilation.computeSets()[0].vertices();
  EXPECT_THAT(vertices[0].countByTile(), ElementsAre(2, 0));
  EXPECT_THAT(vertices[2].countByTile(), ElementsAre(0, 1));
  EXPECT_EQ(vertices[0].type().size(), 9u) << "of two vertices that take 18 bytes";
  EXPECT_EQ(compilation.tiles()[1].memory().vertices()[0].type().name(), "Copy");
}

TEST(Reports, ShowTileMemory) {
  const auto tiles = reportOf(sample()).compilation().tiles();
  EXPECT_EQ(tiles[0].memory().total().excludingGaps(), 84u);
  EXPECT_EQ(tiles[0].memory().total().includingGaps(), 88u);
  const auto memory = tiles[0].memory().category();
  EXPECT_EQ(memory.vertexInstanceState().nonInterleaved().nonOverlapped(), 24u);
  EXPECT_EQ(memory.variable().nonInterleaved().overlapped(), 2u * 36);
  EXPECT_EQ(memory.variable().interleaved().overlapped(), 2u * 4);
  EXPECT_EQ(memory.variable().interleaved().nonOverlapped(), 20u);
  EXPECT_EQ(memory.internalExchangeCode().overflowed().nonOverlapped(), 0u);
  const auto constant = tiles[1].memory().category().constant();
  EXPECT_EQ(constant.interleaved().total(), 16u);
  EXPECT_EQ(constant.overflowed().total(), 16u);
}

TEST(Reports, ShowLiveVariablesOfEachStep) {
  const auto compilation = reportOf(sample()).compilation();
  EXPECT_EQ(compilation.alwaysLiveMemory().bytes(), 56u);
  const auto steps = compilation.livenessProgramSteps();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].notAlwaysLiveMemory().bytes(), 60u);
  EXPECT_EQ(steps[1].program()->name(), "in");
  ASSERT_EQ(steps[1].notAlwaysLiveMemory().variables().size(), 1u);
  EXPECT_EQ(steps[1].notAlwaysLiveMemory().variables()[0].name(), "b");
}

TEST(Reports, ShowTheVariablesOfAComputeSet) {
  const auto program = reportOf(sample()).compilation().programs()[0];
  const auto vars = dynamic_cast<const pva::OnTileExecuteProgram &>(*program).vars();
  ASSERT_EQ(vars.size(), 2u);
  EXPECT_EQ(vars[0].name(), "a");
  EXPECT_EQ(vars[0].bytes(), 60u);
  EXPECT_FALSE(vars[0].alwaysLive());
  EXPECT_TRUE(vars[1].alwaysLive());
  EXPECT_THAT(vars[0].shape(), ElementsAre(15));
}

TEST(Reports, ShowTheExecution) {
  const auto execution = reportOf(sample()).execution();
  EXPECT_EQ(execution.steps()[1].cyclesFrom(), 12u);
  EXPECT_EQ(execution.steps()[1].cycles(), 9u);
  const auto runs = execution.steps()[0].computeSets();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].name(), "outer/cs");
  EXPECT_THAT(runs[0].cyclesByTile(), ElementsAre(12, 6));
  const auto blocks = execution.blocks(1);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_FALSE(blocks[0].isStreamCopy());
  EXPECT_EQ(blocks[0].cyclesTo(), 6u);
  EXPECT_TRUE(blocks[1].isStreamCopy());
  EXPECT_EQ(blocks[1].cyclesFrom(), 12u);
  EXPECT_EQ(blocks[1].program()->name(), "in");
  EXPECT_TRUE(execution.blocks(2).empty());
  const auto withBlock = execution.blocks(0); // blocks of the first tile of an IPU
  ASSERT_EQ(withBlock.size(), 3u);
  EXPECT_EQ(withBlock[0].program()->name(), "block");
  EXPECT_EQ(withBlock[0].cyclesTo(), 21u);
  EXPECT_EQ(withBlock[0].program()->children().size(), 2u);
  EXPECT_EQ(withBlock[1].program()->name(), "outer/cs");
}

TEST(Reports, AreVisitedByKindOfProgram) {
  struct Counter : pva::ProgramVisitor {
    int executes = 0, streams = 0;
    void visitOnTileExecute(const pva::OnTileExecuteProgram &) override { ++executes; }
    void visitStreamCopy(const pva::StreamCopyProgram &) override { ++streams; }
  } counter;
  for (const auto &program : reportOf(sample()).compilation().programs())
    program->accept(counter);
  EXPECT_EQ(counter.executes, 1);
  EXPECT_EQ(counter.streams, 1);
}

TEST(Reports, ReportThatNothingWasRecorded) {
  ReportData data = sample();
  data.hasExecution = false;
  EXPECT_THROW(reportOf(data).execution(), poplar::missing_profile_data);
}

TEST(ReportFiles, AreReadUnchanged) {
  std::stringstream file, again;
  writeReport(file, sample());
  const ReportData back = readReport(file, "profile.pop");
  writeReport(again, back);
  EXPECT_EQ(again.str(), file.str());
  EXPECT_EQ(back.memory, sample().memory);
  EXPECT_EQ(back.ends, sample().ends);
}

TEST(ReportFiles, DamagedOnesAreRefusedOrConsistent) {
  std::stringstream whole;
  writeReport(whole, sample());
  const std::string bytes = whole.str();
  for (std::size_t i = 0; i != bytes.size(); ++i)
    for (const char flip : {'\x01', '\x20', '\x80', '\xFF'}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      std::istringstream file(damaged);
      try {
        const auto report = reportOf(readReport(file, "damaged"));
        for (const auto &computeSet : report.compilation().computeSets())
          for (const auto &vertex : computeSet.vertices())
            vertex.countByTile();
        for (const auto &piece : report.compilation().loweredVariables().allBriefVars())
          piece.equivalenceClass().steps();
        const pva::OperationAnalysis analysis(report);
        for (const auto &operation : analysis.operations())
          operation.vars();
        for (const auto &program : report.compilation().programs())
          EXPECT_LE(program->type(), pva::Program::Type::Unknown);
        for (const auto &step : report.compilation().livenessProgramSteps())
          step.notAlwaysLiveMemory();
        for (const auto &step : report.execution().steps())
          step.computeSets();
        for (const auto &block : report.execution().blocks(0))
          block.program()->children();
      } catch (const poplar::file_load_error &) {
      } catch (const poplar::missing_profile_data &) {
      }
    }
}

TEST(ReportFiles, RefuseRunsThatShareSteps) {
  ReportData data = sample();
  data.runs.push_back(data.runs[0]);
  data.runs[0].steps = 1;
  data.runs[1].firstStep = data.runs[1].steps = 1;
  data.runs[1].from = 12;
  data.blockRuns = {{0, 1, 2}};
  std::stringstream apart, shared;
  writeReport(apart, data);
  EXPECT_EQ(readReport(apart, "apart").runs.size(), 2u);
  data.runs[1].firstStep = 0;
  data.blockRuns.clear();
  writeReport(shared, data);
  EXPECT_THROW(readReport(shared, "shared"), poplar::file_load_error);
}

TEST(ReportFiles, RefuseEveryOtherFile) {
  std::stringstream whole;
  writeReport(whole, sample());
  const std::string bytes = whole.str();
  for (std::size_t n = 0; n != bytes.size(); ++n) {
    std::istringstream cut(bytes.substr(0, n));
    EXPECT_THROW(readReport(cut, "cut"), poplar::file_load_error) << n;
  }
  ReportData lost = sample();
  lost.tiles[1].vertices = {{2, 1}}; // there are two types
  std::stringstream file;
  writeReport(file, lost);
  EXPECT_THROW(readReport(file, "lost"), poplar::file_load_error);
  EXPECT_THROW(pva::openReport("/no/such/profile.pop"), poplar::file_load_error);
}

} // namespace
