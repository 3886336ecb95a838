#include "pva/pva.hpp"

#include "poplar/exceptions.hpp"
#include "profile/report_data.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace {

using namespace copse::profile;
using ::testing::ElementsAre;

/// Two tiles, one compute set of three vertices of two types, run once.
ReportData sample() {
  ReportData data;
  data.poplarVersion = "2.2.0 (test)";
  data.vertexTypes = {"Add<float>", "Copy"};
  data.tiles.resize(2);
  data.tiles[0].bytes = 100;
  data.tiles[0].bytesWithGaps = 128;
  data.tiles[0].uses[static_cast<std::size_t>(MemoryUse::VertexState)] = {24, 8, 0, 4, 0, 0};
  data.tiles[0].vertices = {0, 0};
  data.tiles[1].vertices = {1};
  data.computeSets = {{"outer/cs", {0, 0, 1}}};
  data.programs = {{pva::Program::Type::OnTileExecute, "outer/cs"},
                   {pva::Program::Type::StreamCopyMid, "in"}};
  data.hasExecution = true;
  data.steps = {{0, {{0, {12, 6}, {}}}}, {1, {}}};
  data.blocks = {{1, 0, 0, 6}, {0, 1, 6, 9}, {1, 1, 6, 8}};
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
  EXPECT_EQ(compilation.tiles()[1].memory().vertices()[0].type().name(), "Copy");
}

TEST(Reports, ShowTileMemory) {
  const auto memory = reportOf(sample()).compilation().tiles()[0].memory();
  EXPECT_EQ(memory.total().excludingGaps(), 100u);
  EXPECT_EQ(memory.total().includingGaps(), 128u);
  const auto state = memory.category().vertexInstanceState();
  EXPECT_EQ(state.nonInterleaved().nonOverlapped(), 24u);
  EXPECT_EQ(state.nonInterleaved().total(), 28u);
  EXPECT_EQ(state.interleaved().nonOverlapped(), 8u);
  EXPECT_EQ(memory.category().internalExchangeCode().overflowed().nonOverlapped(), 0u);
}

TEST(Reports, ShowTheExecution) {
  const auto execution = reportOf(sample()).execution();
  const auto runs = execution.steps()[0].computeSets();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].name(), "outer/cs");
  EXPECT_THAT(runs[0].cyclesByTile(), ElementsAre(12, 6));
  EXPECT_THAT(runs[0].estimatedCyclesByTile(), ElementsAre());
  const auto blocks = execution.blocks(1);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_FALSE(blocks[0].isStreamCopy());
  EXPECT_TRUE(blocks[1].isStreamCopy());
  EXPECT_EQ(blocks[1].cyclesFrom(), 6u);
  EXPECT_EQ(blocks[1].program()->name(), "in");
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

TEST(Reports, SayThatNothingWasRecorded) {
  ReportData data = sample();
  data.hasExecution = false;
  EXPECT_THROW(reportOf(data).execution(), poplar::missing_profile_data);
}

TEST(ReportFiles, ReadBackWhatWasWritten) {
  std::stringstream file, again;
  writeReport(file, sample());
  const ReportData back = readReport(file, "profile.pop");
  writeReport(again, back);
  EXPECT_EQ(again.str(), file.str());
  EXPECT_EQ(back.blocks.size(), 3u);
  EXPECT_EQ(back.tiles[0].uses[3].sharedPlain, 4u);
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
          computeSet.vertices();
        for (const auto &program : report.compilation().programs())
          EXPECT_LE(program->type(), pva::Program::Type::Unknown);
      } catch (const poplar::file_load_error &) {
      } catch (const poplar::missing_profile_data &) {
      }
    }
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
  lost.tiles[1].vertices = {2}; // there are two types
  std::stringstream file;
  writeReport(file, lost);
  EXPECT_THROW(readReport(file, "lost"), poplar::file_load_error);
  EXPECT_THROW(pva::openReport("/no/such/profile.pop"), poplar::file_load_error);
}

} // namespace
