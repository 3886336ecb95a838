#include "poplar/Engine.hpp"
#include "profile/report_data.hpp"
#include "profile/report_options.hpp"
#include "profile/report_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <unistd.h>

/// Summaries of profiles for people.  Source: guide, 8.2.
namespace poplar {

namespace {

using copse::profile::parseReportOptions;
using copse::profile::ReportOptions;

/// "1234567" as "1,234,567".
std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

bool isTerminal(const std::ostream &out) {
  return (&out == &std::cout && ::isatty(STDOUT_FILENO)) ||
         (&out == &std::cerr && ::isatty(STDERR_FILENO));
}

bool environmentIs(const char *name, const char *value) {
  const char *const text = std::getenv(name);
  return text && std::strcmp(text, value) == 0;
}

/// Source: guide, 8.2.3.
bool wantsColour(const std::ostream &out, const ReportOptions &options) {
  if (environmentIs("CLICOLOR_FORCE", "1"))
    return true;
  if (environmentIs("CLICOLOR", "0"))
    return false;
  return options.colours.value_or(isTerminal(out));
}

/// Headings and aligned rows.
class Page {
public:
  Page(std::ostream &out, const ReportOptions &options)
      : out_(out), colour_(wantsColour(out, options)) {}

  void heading(const std::string &text) {
    out_ << (colour_ ? "\033[1m" : "") << text << ':' << (colour_ ? "\033[0m" : "") << '\n';
  }
  void row(const std::string &label, const std::string &value) {
    constexpr std::size_t kLabelWidth = 34, kValueWidth = 16;
    const auto pad = [](std::size_t width, const std::string &text) {
      return std::string(width > text.size() ? width - text.size() : 0, ' ');
    };
    out_ << "  " << label << ':' << pad(kLabelWidth, label) << pad(kValueWidth, value) << value
         << '\n';
  }
  void line(const std::string &text) { out_ << "  " << text << '\n'; }
  void end() { out_ << '\n'; }

private:
  std::ostream &out_;
  bool colour_;
};

std::string bytesText(std::uint64_t bytes) { return grouped(bytes) + " B"; }

void printTarget(Page &page, const ProfileValue &target) {
  page.heading("Target");
  page.row("Number of IPUs", grouped(target["numIPUs"].asUint64()));
  page.row("Tiles per IPU", grouped(target["tilesPerIpu"].asUint64()));
  page.row("Total Tiles", grouped(target["numTiles"].asUint64()));
  page.row("Memory Per-Tile", bytesText(target["bytesPerTile"].asUint64()));
  page.row("Total Memory", bytesText(target["totalMemory"].asUint64()));
  page.row("Clock Speed (approx)",
           grouped(static_cast<std::uint64_t>(target["clockFrequency"].asDouble() / 1e6)) + " MHz");
  page.row("Number of Replicas", grouped(target["numReplicas"].asUint64()));
  page.row("IPUs per Replica", grouped(target["ipusPerReplica"].asUint64()));
  page.row("Tiles per Replica", grouped(target["tilesPerReplica"].asUint64()));
  page.end();
}

void printGraphSize(Page &page, const ProfileValue &graph) {
  page.heading("Graph");
  page.row("Number of vertices", grouped(graph["numVertices"].asUint64()));
  page.row("Number of edges", grouped(graph["numEdges"].asUint64()));
  page.row("Number of variables", grouped(graph["numVars"].asUint64()));
  page.row("Number of compute sets", grouped(graph["numComputeSets"].asUint64()));
  page.end();
}

/// How many tiles use how much, in sixteen steps.
void printHistogram(Page &page, const ProfileValue::Vector &tiles, std::uint64_t most) {
  constexpr std::uint64_t kRows = 16;
  constexpr std::size_t kStars = 40;
  const std::uint64_t step = std::max<std::uint64_t>((most + kRows) / kRows, 1);
  std::vector<std::size_t> counts(kRows, 0);
  for (const ProfileValue &tile : tiles)
    ++counts[std::min(tile.asUint64() / step, kRows - 1)];
  for (std::uint64_t i = 0; i < kRows; ++i) {
    if (counts[i] == 0)
      continue;
    const std::size_t stars = (counts[i] * kStars + tiles.size() - 1) / tiles.size();
    page.row(grouped(i * step) + " - " + grouped((i + 1) * step) + " B  " +
                 std::string(std::min<std::size_t>(stars, 12), '*'),
             grouped(counts[i]) + " tiles");
  }
}

void printWorstTiles(Page &page, const ProfileValue::Vector &tiles, std::uint64_t capacity) {
  const auto worst = std::max_element(tiles.begin(), tiles.end(), [](const auto &a, const auto &b) {
    return a.asUint64() < b.asUint64();
  });
  if (worst == tiles.end())
    return;
  page.line("Maximum (Including Gaps): " + bytesText(worst->asUint64()) + " on tile " +
            grouped(static_cast<std::uint64_t>(worst - tiles.begin())));
  const auto over = std::count_if(tiles.begin(), tiles.end(), [&](const ProfileValue &tile) {
    return tile.asUint64() > capacity;
  });
  page.line(grouped(static_cast<std::uint64_t>(over)) + " tile(s) out of memory");
}

void printMemory(Page &page, const ProfileValue &memory, const ProfileValue &target) {
  page.heading("Memory Usage of one replica");
  page.row("Total, Including Gaps",
           bytesText(static_cast<std::uint64_t>(memory["byTileIncludingGaps"].sum())));
  page.row("Total, Excluding Gaps", bytesText(static_cast<std::uint64_t>(memory["byTile"].sum())));
  for (const auto &[name, bytes] : memory["byCategory"].asMap())
    if (bytes.asUint64() > 0)
      page.row("  " + name, bytesText(bytes.asUint64()));
  const ProfileValue::Vector &tiles = memory["byTile"].asVector();
  std::uint64_t most = 0;
  for (const ProfileValue &tile : tiles)
    most = std::max(most, tile.asUint64());
  page.heading("  By Tile (Excluding Gaps)");
  printHistogram(page, tiles, most);
  printWorstTiles(page, memory["byTileIncludingGaps"].asVector(),
                  target["bytesPerTile"].asUint64());
  page.end();
}

void printMemoryOfIpus(Page &page, const ProfileValue &memory, const ProfileValue &target) {
  page.heading("Memory Usage per IPU (Excluding Gaps)");
  const std::uint64_t perIpu = target["tilesPerIpu"].asUint64();
  const ProfileValue::Vector &tiles = memory["byTile"].asVector();
  for (std::uint64_t ipu = 0; ipu < target["ipusPerReplica"].asUint64(); ++ipu) {
    std::uint64_t bytes = 0;
    for (std::uint64_t tile = ipu * perIpu; tile < (ipu + 1) * perIpu; ++tile)
      bytes += tiles[tile].asUint64();
    page.row("IPU " + std::to_string(ipu), bytesText(bytes));
  }
  page.end();
}

void printStorage(Page &page, const ProfileValue &memory) {
  page.heading("Variable Storage Liveness: All tiles");
  page.line("Always-live bytes: " + grouped(static_cast<std::uint64_t>(memory["byTile"].sum())));
  page.end();
}

void printGraph(Page &page, const ProfileValue &profile, const ReportOptions &options) {
  if (profile.size() == 0) {
    page.line("there is no graph profile");
    return;
  }
  printTarget(page, profile["target"]);
  printGraphSize(page, profile["graph"]);
  printMemory(page, profile["memory"], profile["target"]);
  if (options.showPerIpuMemoryUsage)
    printMemoryOfIpus(page, profile["memory"], profile["target"]);
  if (options.showVarStorage)
    printStorage(page, profile["memory"]);
}

void printSteps(Page &page, const ProfileValue &profile) {
  page.heading("Steps");
  for (const ProfileValue &step : profile["steps"].asVector()) {
    const ProfileValue &program = step["program"];
    const std::uint64_t from = step["from"].asUint64(), to = step["to"].asUint64();
    page.line(program["type"].asString() + " (cycles " + grouped(from) + " - " + grouped(to) +
              "): " + program["name"].asString());
    page.line("  Cycles: " + grouped(to - from));
    if (step.asMap().count("activeTiles"))
      page.line("  Active Tiles: " + grouped(step["activeTiles"].asUint64()));
  }
  page.end();
}

void printExecution(Page &page, const ProfileValue &profile, const ReportOptions &options) {
  page.heading("Execution");
  if (profile.size() == 0) {
    page.line("nothing was recorded; run with debug.instrument, or on a model device");
    page.end();
    return;
  }
  const ProfileValue &cycles = profile["cycles"];
  const std::uint64_t total = cycles["total"].asUint64();
  const double microseconds =
      static_cast<double>(total) / profile["clockFrequency"].asDouble() * 1e6;
  page.line("Runs: " + grouped(profile["runs"].size()));
  page.line("Total cycles: " + grouped(total) + " (approx " +
            grouped(static_cast<std::uint64_t>(std::lround(microseconds))) + " microseconds)");
  page.line("Total compute cycles: " + grouped(cycles["compute"].asUint64()));
  page.line("Total IPU exchange cycles: " + grouped(cycles["internalExchange"].asUint64()));
  page.line("Total global exchange cycles: " + grouped(cycles["globalExchange"].asUint64()));
  page.line("Total host exchange cycles: " + grouped(cycles["hostExchange"].asUint64()));
  page.line("Total sync cycles: " + grouped(cycles["sync"].asUint64()));
  page.end();
  if (options.showExecutionSteps)
    printSteps(page, profile);
}

copse::profile::ReportData readProfile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw file_load_error("cannot open the profile '" + path + "'");
  return copse::profile::readReport(file, path);
}

} // namespace

void printGraphSummary(std::ostream &out, const ProfileValue &graph, const OptionFlags &flags) {
  const ReportOptions options = parseReportOptions(flags);
  Page page(out, options);
  printGraph(page, graph, options);
}

void printExecutionSummary(std::ostream &out, const ProfileValue &, const ProfileValue &execution,
                           const OptionFlags &flags) {
  const ReportOptions options = parseReportOptions(flags);
  Page page(out, options);
  printExecution(page, execution, options);
}

void printProfileSummary(std::ostream &out, const ProfileValue &graph,
                         const ProfileValue &execution, const OptionFlags &flags) {
  printGraphSummary(out, graph, flags);
  printExecutionSummary(out, graph, execution, flags);
}

void printGraphSummary(std::ostream &out, const std::string &path, const OptionFlags &flags) {
  printGraphSummary(out, copse::profile::graphProfileOf(readProfile(path)), flags);
}

void printExecutionSummary(std::ostream &out, const std::string &path, const OptionFlags &flags) {
  const auto report = readProfile(path);
  printExecutionSummary(out, copse::profile::graphProfileOf(report),
                        copse::profile::executionProfileOf(report), flags);
}

void printProfileSummary(std::ostream &out, const std::string &path, const OptionFlags &flags) {
  const auto report = readProfile(path);
  printProfileSummary(out, copse::profile::graphProfileOf(report),
                      copse::profile::executionProfileOf(report), flags);
}

} // namespace poplar
