#include "cost_report.hpp"

#include "poplar/exceptions.hpp"
#include "wire/environment.hpp"

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

namespace copse::engine {

using machine::Cost;
using machine::kCosts;
using machine::PartitionClocks;

namespace {

/// By Cost; `copse scale` reads these names.
constexpr std::array<const char *, kCosts> kNames{
    "compute", "exchange", "ipuLinks", "gatewayLinks", "sync", "host", "remoteBuffers"};

} // namespace

std::unique_ptr<CostReport> CostReport::ofEnvironment(double clockHz, const MakeClocks &make) {
  const std::string path = wire::environmentVariable("COPSE_COSTS");
  if (path.empty())
    return nullptr;
  return std::unique_ptr<CostReport>(new CostReport(path, clockHz, make));
}

CostReport::CostReport(std::string path, double clockHz, const MakeClocks &make)
    : path_(std::move(path)), clockHz_(clockHz) {
  for (std::size_t cost = 0; cost < kCosts; ++cost)
    without_.push_back(make(static_cast<Cost>(cost)));
}

void CostReport::setMeasured(const std::vector<wire::MeasuredCycles> &measured) {
  for (const auto &clocks : without_)
    clocks->setMeasured(measured);
}

void CostReport::ran(std::uint32_t index, const PartitionClocks &clocks, wire::Cycles start,
                     std::uint32_t replicas, machine::HostRows &rows) {
  nlohmann::ordered_json line{{"program", index},
                              {"replicas", replicas},
                              {"ipus", clocks.now().size()},
                              {"clockHz", clockHz_},
                              {"cycles", clocks.latest().value - start.value}};
  const machine::CyclesByCost costs = clocks.costsOfLatest();
  for (std::size_t cost = 0; cost < kCosts; ++cost) {
    PartitionClocks &without = *without_[cost];
    const wire::Cycles from = without.latest();
    without.run(index, from, rows);
    line["costs"][kNames[cost]] = costs[cost].value;
    line["without"][kNames[cost]] = without.latest().value - from.value;
  }
  std::ofstream file(path_, std::ios::app);
  file << line.dump() << '\n';
  if (!file.flush())
    throw poplar::file_load_error("COPSE_COSTS: the file '" + path_ + "' cannot be written");
}

} // namespace copse::engine
