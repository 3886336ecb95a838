#include "execution_summary.hpp"

#include "summary_values.hpp"

#include <algorithm>
#include <string>

namespace copse::profile {

using poplar::ProfileValue;

namespace {

double real(const ProfileValue &map, const char *key) { return map[key].asDouble(); }

void printTotals(Page &page, const ProfileValue &profile) {
  const ProfileValue &tiles = profile["tileCycles"];
  const std::uint64_t total = numberAt(profile["cycles"], "total");
  const double microseconds = static_cast<double>(total) / real(profile, "clockFrequency") * 1e6;
  const auto line = [&](const std::string &label, const std::string &value) {
    constexpr std::size_t kWidth = 48;
    page.line(label + ':' + std::string(kWidth - std::min(kWidth, label.size() + 1), ' ') + value);
  };
  line("Total cycles", grouped(total) + " (approx " + decimal(microseconds) + " microseconds)");
  line("Total compute cycles (including idle threads)", grouped(numberAt(tiles, "compute")));
  line("Total compute cycles (excluding idle threads)",
       grouped(numberAt(tiles, "threadCycles") / numberAt(tiles, "workers")));
  line("Total IPU exchange cycles", grouped(numberAt(tiles, "internalExchange")));
  line("Total global exchange cycles", grouped(numberAt(tiles, "globalExchange")));
  line("Total host exchange cycles", grouped(numberAt(tiles, "hostExchange")));
  line("Total shared structure copy cycles", "0");
  line("Total sync cycles", grouped(numberAt(tiles, "sync")));
  line("Total tile balance",
       percent(real(tiles, "compute"), real(tiles, "recordedCycles") * real(tiles, "tiles")));
  line("Total thread balance",
       percent(real(tiles, "threadCycles"), real(tiles, "compute") * real(tiles, "workers")));
  if (numberAt(tiles, "recordedCycles") != total)
    line("Cycles of the steps that are recorded", grouped(numberAt(tiles, "recordedCycles")));
}

void printVertexTypes(Page &page, const std::string &heading, const ProfileValue &types) {
  const Page::Section section(page, heading);
  for (const ProfileValue &type : types.asVector())
    page.row(type["name"].asString() + " (" + std::to_string(numberAt(type, "instances")) +
                 " instances)",
             grouped(numberAt(type, "cycles")));
}

/// Prints the steps of an execution one after another.
class StepPrinter {
public:
  StepPrinter(Page &page, const ProfileValue &profile)
      : page_(page), tiles_(numberAt(profile["tileCycles"], "tiles")),
        workers_(numberAt(profile["tileCycles"], "workers")) {}

  void print(const ProfileValue &step) {
    if (step["kind"].asString() == "sync")
      return page_.line("--- External Sync ---");
    const ProfileValue &tiles = step["tiles"];
    const std::uint64_t from = numberAt(step, "from"), to = numberAt(step, "to");
    const Page::Section section(page_, headingOf(step["program"], from, to));
    page_.row("Cycles", grouped(to - from) + " (" + grouped(numberAt(step, "overlapped")) +
                            " overlapped with previous)");
    page_.row("Active Tiles", grouped(numberAt(tiles, "active")) + " / " + grouped(tiles_));
    const double tileCycles = real(step, "tileCycles");
    const bool isCompute = tiles.asMap().count("threadCycles") != 0;
    if (isCompute)
      page_.row("Thread Balance",
                percent(real(tiles, "threadCycles"), tileCycles * static_cast<double>(workers_)));
    page_.row("Tile Balance",
              percent(tileCycles, real(step, "cycles") * static_cast<double>(tiles_)));
    page_.row("Active Tile Balance",
              percent(tileCycles, real(step, "maxTileCycles") * real(tiles, "active")));
    if (isCompute)
      return printVertexTypes(page_, "By vertex type:", tiles["vertexTypes"]);
    page_.row("Total Data", bytesText(numberAt(tiles, "bytes")));
    page_.row("Data Balance (mean / max data per tile)",
              percent(real(tiles, "bytes"), real(tiles, "maxBytes") * static_cast<double>(tiles_)));
  }

private:
  static std::string headingOf(const ProfileValue &program, std::uint64_t from, std::uint64_t to) {
    const std::string &type = program["type"].asString(), &name = program["name"].asString();
    return (type == "StreamCopyMid" ? "StreamCopy" : type) + " (cycles " + grouped(from) + " - " +
           grouped(to) + ")" + (name.empty() ? "" : ": " + name);
  }

  Page &page_;
  std::uint64_t tiles_, workers_;
};

void printSteps(Page &page, const ProfileValue &profile) {
  StepPrinter printer(page, profile);
  const Page::Section section(page, "Steps");
  for (const ProfileValue &step : profile["steps"].asVector())
    printer.print(step);
}

} // namespace

void printExecution(Page &page, const ProfileValue &profile, const ReportOptions &options) {
  {
    const Page::Section section(page, "Execution:");
    if (profile.size() == 0) {
      page.line("nothing was recorded; run with debug.instrument, or on a model device");
    } else {
      printTotals(page, profile);
      page.blank();
      printVertexTypes(page, "Cycles by vertex type:", profile["vertexTypes"]);
      if (options.showExecutionSteps) {
        page.blank();
        printSteps(page, profile);
      }
    }
  }
  page.blank();
}

} // namespace copse::profile
