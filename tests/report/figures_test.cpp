#include "large_report.hpp"

#include "report/page.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <vector>

namespace copse::report {
namespace {

using nlohmann::json;

json figuresOf(const profile::ReportData &data) {
  const NamedProfile profile{"name", &data};
  std::stringstream out;
  writeFigures(out, {&profile, 1});
  return json::parse(out.str())["profiles"][0];
}

std::vector<std::uint64_t> expanded(const json &runs) {
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < runs.size(); i += 2)
    values.insert(values.end(), runs[i].get<std::size_t>(), runs[i + 1].get<std::uint64_t>());
  return values;
}

std::uint64_t sumOf(const json &numbers) {
  const auto values = numbers.get<std::vector<std::uint64_t>>();
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

std::uint64_t sum(const json &list, const char *member) {
  std::uint64_t total = 0;
  for (const json &one : list)
    total += one[member].get<std::uint64_t>();
  return total;
}

class Figures : public ::testing::Test {
protected:
  profile::ReportData data_ = test::largeReport(4, 10, 1000);
  json figures_ = figuresOf(data_);
};

TEST_F(Figures, CategoriesOfTilesAddUpToTheirContents) {
  const json &memory = figures_["memory"];
  std::vector<std::uint64_t> totals(40, 0);
  for (std::size_t category = 0; category < memory["categories"].size(); ++category) {
    const auto tiles = expanded(memory["tiles"][category]);
    ASSERT_EQ(tiles.size(), totals.size());
    EXPECT_EQ(std::accumulate(tiles.begin(), tiles.end(), std::uint64_t{0}),
              memory["byCategory"][category].get<std::uint64_t>());
    for (std::size_t tile = 0; tile < tiles.size(); ++tile)
      totals[tile] += tiles[tile];
  }
  EXPECT_EQ(totals, data_.memory.bytesWithGaps); // these tiles have neither gaps nor shared bytes
}

TEST_F(Figures, BytesOfVariablesEqualThoseOfTheirBlocks) {
  std::uint64_t blocks = 0;
  for (const compiler::MemoryBlock &block : data_.memory.blocks)
    blocks += block.bytes;
  EXPECT_EQ(sum(figures_["memory"]["variables"]["largest"], "bytes"), blocks);
  EXPECT_EQ(figures_["memory"]["tree"]["amount"], blocks);
}

TEST_F(Figures, ListLiveVariablesAtThePeak) {
  const json &liveness = figures_["memory"]["liveness"];
  const auto bytes = expanded(liveness["bytes"]);
  const auto peak = static_cast<std::uint64_t>(std::ranges::max_element(bytes) - bytes.begin());
  std::uint64_t alive = 0;
  for (const json &item : liveness["items"])
    for (std::size_t i = 0; i < item["intervals"].size(); i += 2)
      if (item["intervals"][i] <= peak && peak <= item["intervals"][i + 1])
        alive += item["bytes"].get<std::uint64_t>();
  EXPECT_EQ(alive, bytes[peak]);
}

TEST_F(Figures, LanesOfIpusEndWithTheRun) {
  const json &execution = figures_["execution"];
  std::uint64_t last = 0;
  for (const json &cycles : execution["ipus"]) {
    ASSERT_EQ(cycles.size(), 1000u);
    last = std::max(last, 1000 + sumOf(cycles));
  }
  EXPECT_EQ(last, execution["runs"][0]["to"]);
}

TEST_F(Figures, CostsOfStepsAddUpToTheTimeOfAllIpus) {
  std::uint64_t lanes = 0;
  for (const json &cycles : figures_["execution"]["ipus"])
    lanes += sumOf(cycles);
  EXPECT_EQ(sum(figures_["execution"]["costs"], "ipuCycles"), lanes);
  EXPECT_EQ(sum(figures_["execution"]["costs"], "runs"), 1000u);
}

TEST_F(Figures, WaitsAreForTheIpuThatCameLast) {
  profile::ReportData data = test::largeReport(2, 1, 10); // step 9 is a sync point of both
  for (std::uint32_t step = 0; step < 10; ++step) {
    data.ends[2 * step] = 1000 + 10 * (step + 1);
    data.ends[2 * step + 1] = 1000 + 30 * (step + 1);
  }
  data.ends[18] = data.ends[19] = data.runs[0].to = 1300;
  const json waits = figuresOf(data)["execution"]["waits"];
  EXPECT_EQ(waits[0], json::parse(R"({"ipu": 0, "cycles": 0, "steps": 0})"));
  EXPECT_EQ(waits[1], json::parse(R"({"ipu": 1, "cycles": 180, "steps": 1})"));
}

TEST_F(Figures, LeaveOutStepsThatTheFilterOmits) {
  for (profile::StepReport &step : data_.steps)
    step.isListed = step.program == 3;
  const json costs = figuresOf(data_)["execution"]["costs"];
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0]["program"], 3);
}

TEST_F(Figures, HaveNoExecutionWithoutARun) {
  data_.runs.clear();
  EXPECT_EQ(figuresOf(data_)["execution"], nullptr);
}

TEST_F(Figures, ReplaceBytesThatAreNotText) {
  data_.programs[0].name = "a\xff/b";
  EXPECT_EQ(figuresOf(data_)["programs"][0]["name"], "a\xef\xbf\xbd/b");
}

} // namespace
} // namespace copse::report
