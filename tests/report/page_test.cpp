#include "browser.hpp"
#include "child_process.hpp"
#include "pipeline.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <poplar/exceptions.hpp>

/// Tests the pages of `copse report`, opened in a real browser.
namespace copse::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;

struct Ended {
  int code = -1;
  std::string output, errors;
};

Ended copseReport(std::vector<std::string> arguments,
                  const std::map<std::string, std::string> &environment = {}) {
  arguments.insert(arguments.begin(), {COPSE_TOOL, "report"});
  ChildProcess process(arguments, environment);
  const int code = process.wait(60s).value_or(-1);
  return {code, process.output(), process.errors()};
}

/// Returns the rows of a table by the text of their first cell, with the values of all cells.
std::string rowsOf(const std::string &table) {
  return "Object.fromEntries([...document.querySelectorAll('#" + table +
         " tbody tr')].map(row => [row.cells[0].textContent, [...row.cells].map(cell => "
         "cell.dataset.value)]))";
}

std::uint64_t numberOf(const json &text) { return std::stoull(text.get<std::string>()); }

/// Returns the bytes of the tiles of all IPUs.
std::uint64_t bytesOf(const pva::Report &report) {
  std::uint64_t bytes = 0;
  for (const pva::Tile &tile : report.compilation().tiles())
    bytes += tile.memory().total().excludingGaps();
  return bytes;
}

/// Opens the pages of two runs of one program, the second with twice the numbers.
class ReportPage : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    browser_ = Browser::start();
    folder_ = new TemporaryFolder;
    small_ = new pva::Report(runPipeline(folder_->file("small"), 100));
    large_ =
        new pva::Report(runPipeline(folder_->file("large"), 200, folder_->file("engine.html")));
    ASSERT_EQ(copseReport({folder_->file("small")}).code, 0);
    ASSERT_EQ(copseReport({folder_->file("small"), folder_->file("large/profile.pop"), "--output",
                           folder_->file("both.html")})
                  .code,
              0);
  }
  static void TearDownTestSuite() {
    browser_.reset();
    delete small_;
    delete large_;
    delete folder_;
  }

  void SetUp() override {
    if (!browser_)
      GTEST_SKIP() << "there is no chromium (deploy/packages-ci.txt)";
  }

  json evaluate(const std::string &place, const std::string &expression) {
    return browser_->evaluate(page_, place, expression);
  }

  const std::string page_ = folder_->file("small/report.html");
  static inline std::unique_ptr<Browser> browser_;
  static inline TemporaryFolder *folder_ = nullptr;
  static inline pva::Report *small_ = nullptr, *large_ = nullptr;
};

TEST_F(ReportPage, FiguresOfMemoryEqualTheReports) {
  const json figures =
      evaluate("overview", "Object.fromEntries([...document.querySelectorAll('[data-figure]')].map("
                           "card => [card.dataset.figure, card.dataset.value]))");
  std::uint64_t most = 0;
  for (const pva::Tile &tile : small_->compilation().tiles())
    most = std::max(most, tile.memory().total().excludingGaps());
  EXPECT_EQ(numberOf(figures["memory"]), bytesOf(*small_));
  EXPECT_EQ(numberOf(figures["fullest"]), most);
}

TEST_F(ReportPage, AddressesOfATileAddUpToItsMemory) {
  const json tile = evaluate("memory&tile=8", R"(({
      said: document.querySelector('[data-tile="8"]').dataset.bytes,
      names: [...document.querySelectorAll('#ranges tbody tr')].map(row => row.cells[0].dataset.value) }))");
  EXPECT_EQ(numberOf(tile["said"]),
            small_->compilation().tiles()[8].memory().total().excludingGaps());
  EXPECT_THAT(tile["names"], ::testing::Contains(json("model/stage1/activations")));
}

TEST_F(ReportPage, CyclesOfStepsEqualTheReports) {
  std::map<std::string, std::uint64_t> cycles, runs;
  for (const pva::ExecutionStep &step : small_->execution().steps())
    if (const auto program = step.program(); program->type() == pva::Program::Type::OnTileExecute) {
      cycles[program->name()] += step.cycles();
      ++runs[program->name()];
    }
  const json rows = evaluate("execution", rowsOf("steps"));
  ASSERT_FALSE(cycles.empty());
  for (const auto &[name, sum] : cycles) {
    ASSERT_TRUE(rows.contains(name)) << rows.dump(2);
    EXPECT_EQ(numberOf(rows[name][2]), sum);
    EXPECT_EQ(numberOf(rows[name][4]), runs[name]);
  }
}

TEST_F(ReportPage, TimeOfARunIsTheSumOfItsSteps) {
  const json rows = evaluate("execution", rowsOf("runs"));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_GT(numberOf(rows["training"][2]), 0u);
  const json lanes = evaluate("execution", "readFigures().then(({ profiles: [profile] }) => {"
                                           "  const { lanes, end } = lanesOf(profile.execution);"
                                           "  return [lanes.length, end - lanes[0].begin]; })");
  EXPECT_EQ(lanes[0], 4);
  EXPECT_EQ(lanes[1].get<std::uint64_t>(), numberOf(rows["training"][2]));
}

TEST_F(ReportPage, SumsOfLanesEqualTheirSteps) {
  const json differences = evaluate("execution", R"((() => {
    const ends = new Float64Array(1000), kinds = new Uint8Array(1000);
    let now = 50;
    for (let i = 0; i < 1000; ++i) { ends[i] = now += (i * 7919) % 50; kinds[i] = (i * 31) % 6; }
    const lane = new Lane(50, ends, kinds), sum = new Float64Array(6);
    let wrong = 0;
    for (let time = 0; time < now + 100; time += 13) {
      const plain = new Float64Array(6);
      for (let i = 0, from = 50; i < 1000; from = ends[i++])
        plain[kinds[i]] += Math.max(0, Math.min(time, ends[i]) - from);
      lane.spentBefore(time, sum);
      wrong += plain.some((cycles, kind) => cycles !== sum[kind]) ? 1 : 0;
    }
    return wrong; })())");
  EXPECT_EQ(differences, 0);
}

TEST_F(ReportPage, NamesTheIpuThatOthersWaitFor) {
  const json rows = evaluate("execution", rowsOf("waits"));
  EXPECT_TRUE(rows.contains("IPU 3")) << rows.dump(); // has the longest vertices
}

TEST_F(ReportPage, LinksStreamsAndRemoteBuffersHaveTheirBytes) {
  constexpr std::uint64_t kBytes = 8 * 100 * 4, kRepeats = 5;
  const json streams = evaluate("links", rowsOf("streams"));
  EXPECT_EQ(numberOf(streams["images <b>&"][1]), kRepeats * kBytes);
  EXPECT_EQ(numberOf(streams["labels"][1]), kRepeats * kBytes);
  EXPECT_EQ(numberOf(evaluate("links", rowsOf("remoteBuffers"))["state"][1]), kRepeats * kBytes);
  const json links = evaluate("links", rowsOf("links"));
  EXPECT_GE(numberOf(links["IPU 0 to IPU 1"][1]), kRepeats * kBytes);
}

TEST_F(ReportPage, CompareNamesWhatGrew) {
  const json cards =
      browser_->evaluate(folder_->file("both.html"), "",
                         "Object.fromEntries([...document.querySelectorAll('[data-figure]')].map("
                         "card => [card.dataset.figure, [card.dataset.a, card.dataset.b]]))");
  EXPECT_EQ(numberOf(cards["memory"][0]), bytesOf(*small_));
  EXPECT_EQ(numberOf(cards["memory"][1]), bytesOf(*large_));
  const json rows =
      browser_->evaluate(folder_->file("both.html"), "compare", rowsOf("stepDifferences"));
  EXPECT_GT(numberOf(rows["model/scale"][3]), numberOf(rows["model/scale"][2]));
}

TEST_F(ReportPage, EngineWritesTheSamePage) {
  const std::string cards =
      "[...document.querySelectorAll('[data-figure]')].map(card => card.dataset.value)";
  ASSERT_EQ(copseReport({folder_->file("large"), "-o", folder_->file("tool.html")}).code, 0);
  EXPECT_EQ(browser_->evaluate(folder_->file("engine.html"), "", cards),
            browser_->evaluate(folder_->file("tool.html"), "", cards));
}

TEST_F(ReportPage, ShowsEveryViewWithoutErrors) {
  for (const std::string view : {"overview", "memory", "execution", "links"}) {
    EXPECT_EQ(evaluate(view, "document.documentElement.dataset.view"), view);
    browser_->screenshot(page_, view, std::string(SCREENSHOTS) + "/" + view + ".png", 1600);
  }
  browser_->screenshot(folder_->file("both.html"), "compare",
                       std::string(SCREENSHOTS) + "/compare.png", 1600);
}

/// The limits are for a machine on which the loop takes 40 ms; a busy machine gets more.
constexpr const char *kLoop = R"((() => {
  const from = performance.now();
  let sum = 0;
  for (let i = 0; i < 3e7; ++i) sum += i % 7;
  return performance.now() - from + 0 * sum; })())";

TEST_F(ReportPage, OpensLargeProfilesWithinTwoSecondsAndMovesFluently) {
  const std::string page = folder_->file("huge.html");
  ChildProcess writer({LARGE_REPORT, page, "16", "1472", "100000"});
  ASSERT_EQ(writer.wait(120s), 0) << writer.errors();
  double opened = 1e9, moved = 1e9; // [ms] of this machine at its best
  for (int attempt = 0; attempt < 5 && (opened > 2000 || moved > 50); ++attempt) {
    const json took = browser_->evaluate(page, "execution", R"((() => {
      const loop = )" + std::string(kLoop) + R"(;
      const canvas = document.querySelectorAll('.timeline canvas')[1], frames = [];
      const { left, top, width } = canvas.getBoundingClientRect();
      for (let i = 0; i < 40; ++i) {
        const from = performance.now();
        canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: i < 30 ? -120 : 120, clientX: left + width * 0.7, clientY: top + 60 }));
        frames.push(performance.now() - from);
      }
      frames.sort((a, b) => a - b);
      return { loop, opened: Number(document.documentElement.dataset.ready), frame: frames[Math.floor(frames.length * 0.9)] }; })())");
    const double slowness = std::max(1.0, took["loop"].get<double>() / 40);
    opened = std::min(opened, took["opened"].get<double>() / slowness);
    moved = std::min(moved, took["frame"].get<double>() / slowness);
  }
  RecordProperty("opened [ms]", std::to_string(opened));
  RecordProperty("frame [ms]", std::to_string(moved));
  EXPECT_LT(opened, 2000);
  EXPECT_LT(moved, 50);
  browser_->screenshot(page, "execution", std::string(SCREENSHOTS) + "/large-execution.png", 1600);
  browser_->screenshot(page, "memory", std::string(SCREENSHOTS) + "/large-memory.png", 1600);
}

TEST(CopseReport, NamesTheProfileThatItCannotRead) {
  const TemporaryFolder folder;
  const Ended missing = copseReport({folder.file("none.pop")});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.errors, HasSubstr("cannot open the profile '" + folder.file("none.pop")));
  std::ofstream(folder.file("profile.pop")) << "something else";
  const Ended damaged = copseReport({folder.path().string()});
  EXPECT_EQ(damaged.code, 1);
  EXPECT_THAT(damaged.errors, HasSubstr("profile.pop' is not a profile"));
}

TEST(CopseReport, ReportsThatThePageCannotBeWritten) {
  const TemporaryFolder folder;
  runPipeline(folder.path().string(), 10);
  const Ended ended = copseReport({folder.path().string(), "-o", folder.file("none/page.html")});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.errors, HasSubstr("choose another file with --output"));
}

TEST(CopseReport, EngineReportsThatItsPageCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_THROW(runPipeline(folder.path().string(), 10, folder.file("none/page.html")),
               poplar::file_load_error);
}

TEST(CopseReport, OpensThePageWithTheProgramOfTheDesktop) {
  const TemporaryFolder folder;
  runPipeline(folder.path().string(), 10);
  std::ofstream(folder.file("xdg-open")) << "#!/bin/sh\necho opened $1\n";
  std::filesystem::permissions(folder.file("xdg-open"), std::filesystem::perms::owner_all);
  const Ended ended =
      copseReport({folder.path().string(), "--open"}, {{"PATH", folder.path().string()}});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("opened " + folder.file("report.html")));
}

TEST(CopseReport, WritesTheFiguresAsJson) {
  const TemporaryFolder folder;
  const pva::Report report = runPipeline(folder.path().string(), 10);
  const Ended ended = copseReport({folder.path().string(), "--json"});
  const json profile = json::parse(ended.output)["profiles"][0];
  EXPECT_EQ(profile["target"]["ipus"], 4);
  std::uint64_t bytes = 0;
  for (const json &category : profile["memory"]["byCategory"])
    bytes += category.get<std::uint64_t>();
  EXPECT_EQ(bytes, bytesOf(report));
}

} // namespace
} // namespace copse::test
