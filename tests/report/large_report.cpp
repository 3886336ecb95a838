#include "large_report.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace copse::test {
namespace {

using compiler::LiveRanges;
using compiler::MemoryUse;
using profile::ReportData;
using profile::StepReport;
using Type = pva::Program::Type;

constexpr std::uint32_t kMemoryBase = 0x4c000, kPrograms = 200, kItems = 600;

/// Returns compute, exchange, compute, exchange, ..., every tenth a sync, every twentieth after a
/// global exchange.
clock::StepKind kindOf(std::uint32_t program) {
  if (program % 10 == 9)
    return clock::StepKind::Sync;
  if (program % 20 == 18)
    return clock::StepKind::GlobalExchange;
  return program % 2 == 0 ? clock::StepKind::Compute : clock::StepKind::InternalExchange;
}

class LargeReport {
public:
  LargeReport(std::uint32_t ipus, std::uint32_t tilesPerIpu, std::uint32_t steps)
      : tiles_(ipus * tilesPerIpu), steps_(steps) {
    report_.poplarVersion = "test";
    report_.target.type = "IPU";
    report_.target.ipus = ipus;
    report_.target.tilesPerIpu = tilesPerIpu;
    report_.target.bytesPerTile = 638'976;
    report_.target.clockHz = 1.325e9;
  }

  ReportData make() {
    addMemory();
    addPrograms();
    addRun();
    return std::move(report_);
  }

private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  void addMemory() {
    auto &memory = report_.memory;
    for (std::uint32_t item = 0; item < kItems; ++item) {
      const bool isAlways = item % 3 == 0;
      if (!isAlways)
        memory.ranges.push_back({{item / 4, item / 4 + 40}});
      memory.items.push_back(
          {"model/layer" + std::to_string(item / 25) + "/variable" + std::to_string(item),
           item % 7 == 0 ? MemoryUse::MessageBuffer : MemoryUse::Variable,
           "FLOAT",
           {1024, item + 1},
           isAlways ? LiveRanges::kAlways : static_cast<LiveRanges::Id>(memory.ranges.size() - 1)});
    }
    memory.firstBlock.push_back(0);
    for (std::uint32_t tile = 0; tile < tiles_; ++tile) {
      std::uint32_t address = kMemoryBase;
      for (std::uint32_t item = tile % 5; item < kItems; item += 6) {
        const std::uint32_t bytes = 64 * (1 + (item * 7 + tile % 32) % 60);
        memory.blocks.push_back({item, address, bytes});
        memory.items[item].bytes += bytes;
        address += bytes;
      }
      memory.firstBlock.push_back(memory.blocks.size());
      memory.bytesWithGaps.push_back(address - kMemoryBase);
    }
    memory.stepTimes.resize(kPrograms);
    for (std::uint32_t program = 0; program < kPrograms; ++program)
      memory.stepTimes[program] = program;
    report_.tiles.resize(tiles_);
    report_.vertexTypes = {"poplin::ConvPartial1x1Out<half,float,true,false,16,4>",
                           "popops::BinaryOp1D<ADD,float>"};
    memory.vertexTypes.resize(report_.vertexTypes.size());
  }

  void addPrograms() {
    for (std::uint32_t program = 0; program < kPrograms; ++program) {
      const clock::StepKind kind = kindOf(program);
      profile::ProgramReport what;
      what.name = "model/layer" + std::to_string(program / 8) + "/step" + std::to_string(program);
      what.type = kind == clock::StepKind::Compute          ? Type::OnTileExecute
                  : kind == clock::StepKind::Sync           ? Type::Sync
                  : kind == clock::StepKind::GlobalExchange ? Type::GlobalExchange
                                                            : Type::DoExchange;
      if (kind == clock::StepKind::Sync)
        for (std::uint32_t ipu = 0; ipu < report_.target.ipus; ++ipu) {
          what.syncGroups.resize(1);
          what.syncGroups[0].push_back(ipu);
        }
      if (kind == clock::StepKind::Compute)
        what.index = addCost(program);
      report_.programs.push_back(std::move(what));
    }
  }

  /// \returns the number of the compute set
  std::uint32_t addCost(std::uint32_t program) {
    const auto number = static_cast<std::uint32_t>(report_.computeSets.size());
    report_.computeSets.push_back({"model/step" + std::to_string(program), {}, {}});
    profile::ComputeCost cost;
    cost.computeSet = number;
    for (std::uint32_t tile = 0; tile < tiles_; ++tile)
      cost.tiles.push_back({tile, 1, 1000 + (tile * 31 + program) % 977, 0});
    cost.types = {{program % 2, tiles_, std::uint64_t{tiles_} * 1500, 0}};
    report_.costs.push_back(std::move(cost));
    return number;
  }

  void addRun() {
    const std::uint32_t ipus = report_.target.ipus;
    std::vector<std::uint64_t> clocks(ipus, 1000);
    std::uint32_t cost = 0;
    report_.hasExecution = true;
    for (std::uint32_t step = 0; step < steps_; ++step) {
      const std::uint32_t program = step % kPrograms;
      const clock::StepKind kind = kindOf(program);
      StepReport what;
      what.program = program;
      what.kind = kind;
      if (kind == clock::StepKind::Compute)
        what.cost = cost++ % static_cast<std::uint32_t>(report_.costs.size());
      report_.steps.push_back(what);
      if (kind == clock::StepKind::Sync)
        clocks.assign(ipus, *std::ranges::max_element(clocks) + 170);
      else
        for (std::uint64_t &clock : clocks)
          clock += 500 + 100 * (program % 13) + below(200);
      report_.ends.insert(report_.ends.end(), clocks.begin(), clocks.end());
    }
    profile::RunRecord run;
    run.name = "training";
    run.from = 1000;
    run.to = *std::ranges::max_element(clocks);
    run.steps = steps_;
    report_.runs.push_back(std::move(run));
  }

  ReportData report_;
  std::uint32_t tiles_, steps_;
  std::mt19937 random_{1};
};

} // namespace

ReportData largeReport(std::uint32_t ipus, std::uint32_t tilesPerIpu, std::uint32_t steps) {
  return LargeReport(ipus, tilesPerIpu, steps).make();
}

} // namespace copse::test
