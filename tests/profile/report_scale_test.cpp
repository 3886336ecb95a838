#include "profile/execution_account.hpp"
#include "profile/profile_data.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace copse::profile {
namespace {

constexpr std::uint32_t kIpus = 16, kTilesPerIpu = 1472, kTiles = kIpus * kTilesPerIpu;
constexpr std::uint32_t kSteps = 100'000;

/// Returns a run of 100,000 steps on 16 IPUs: a compute set that all tiles run, then a sync in
/// which all wait for IPU 3, and so on.
ReportData largeReport() {
  ReportData report;
  report.target.ipus = kIpus;
  report.target.tilesPerIpu = kTilesPerIpu;
  report.vertexTypes = {"Work"};
  report.memory.vertexTypes.resize(1);
  report.memory.firstBlock.assign(kTiles + 1, 0);
  report.memory.bytesWithGaps.assign(kTiles, 0);
  report.memory.stepTimes.assign(2, compiler::MemoryLayout::kNoTime);
  report.memory.stepItems.resize(2);
  report.tiles.assign(kTiles, {{{0, 6}}});
  report.computeSets = {{"work", {{0, 6 * kTiles}}, {{0, 0, kTiles, 6}}}};
  report.programs.resize(2);
  report.programs[0].type = pva::Program::Type::OnTileExecute;
  report.programs[1].type = pva::Program::Type::Sync;
  report.programs[1].syncGroups.resize(1);
  for (std::uint32_t ipu = 0; ipu < kIpus; ++ipu)
    report.programs[1].syncGroups[0].push_back(ipu);
  report.hasExecution = true;
  report.costs = {{0,
                   {{0, 3 * kTilesPerIpu, 100, 600},
                    {3 * kTilesPerIpu, kTilesPerIpu, 150, 900},
                    {4 * kTilesPerIpu, 12 * kTilesPerIpu, 100, 600}},
                   {{0, 6 * kTiles, 6 * 100 * kTiles, 6 * 100 * kTiles}}}};
  RunRecord run;
  run.steps = kSteps;
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    const std::uint64_t turn = step / 2 * 160;
    const bool isSync = step % 2 == 1;
    report.steps.push_back({isSync ? 1u : 0u, isSync ? StepReport::kNoCost : 0,
                            isSync ? StepKind::Sync : StepKind::Compute});
    for (std::uint32_t ipu = 0; ipu < kIpus; ++ipu)
      report.ends.push_back(turn + (isSync ? 160 : ipu == 3 ? 150 : 100));
  }
  run.to = kSteps / 2 * 160;
  report.runs = {run};
  return report;
}

TEST(LargeReports, HaveASizeIndependentOfTiles) {
  std::stringstream file;
  writeReport(file, largeReport());
  EXPECT_LT(file.str().size(), std::size_t{kSteps} * (8 * kIpus + 16) + std::size_t{kTiles} * 80);
  const ReportData back = readReport(file, "large");
  EXPECT_EQ(back.steps.size(), kSteps);
  EXPECT_EQ(back.ends, largeReport().ends);
}

TEST(LargeReports, AddUp) {
  const ReportData report = largeReport();
  const ExecutionAccount account = accountOfExecution(report);
  EXPECT_EQ(account.compute, std::uint64_t{kSteps / 2} * kTilesPerIpu * (15 * 100 + 150));
  EXPECT_EQ(account.compute + account.sync(), account.recordedCycles * kTiles);
  EXPECT_EQ(account.recordedCycles, account.cycles);
}

TEST(LargeReports, NameTheIpuForWhichOthersWaited) {
  const ReportData report = largeReport();
  EXPECT_EQ(waitedFor(report, report.runs[0], 1, 0), 3u);
  EXPECT_EQ(waitedFor(report, report.runs[0], 99'999, 15), 3u);
  EXPECT_EQ(waitedFor(report, report.runs[0], 1, 3), 3u);
}

} // namespace
} // namespace copse::profile
