#include "graph_summary.hpp"

#include "summary_values.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

namespace copse::profile {

using poplar::ProfileValue;

namespace {

/// The rows of the guide's table "By Data Type", and a row for constants. The names of memory that
/// Copse does not have are empty: exchange code and headers of host packets are not in tile memory.
constexpr std::array<std::pair<const char *, const char *>, 14> kDataTypes{
    {{"Variables", "variable"},
     {"Constants", "constant"},
     {"Internal Exchange Message Buffers", "message"},
     {"Data Rearrangement Buffers", "rearrangement"},
     {"Host Exchange Packet Headers", ""},
     {"Stack", "stack"},
     {"Vertex Instances", "vertexInstanceState"},
     {"Copy Descriptors", ""},
     {"VectorList Descriptors", "vectorListDescriptor"},
     {"Vertex Field Data", "vertexFieldData"},
     {"Control Code", "controlCode"},
     {"Vertex Code", "vertexCode"},
     {"Internal Exchange Code", ""},
     {"Host Exchange Code", ""}}};

std::uint64_t sumOf(const ProfileValue &values) {
  std::uint64_t sum = 0;
  if (values.type() == ProfileValue::Type::MAP)
    for (const auto &[name, value] : values.asMap())
      sum += value.asUint64();
  else
    for (const ProfileValue &value : values.asVector())
      sum += value.asUint64();
  return sum;
}

void printTarget(Page &page, const ProfileValue &target) {
  {
    const Page::Section section(page, "Target:");
    page.row("Number of IPUs", grouped(numberAt(target, "numIPUs")));
    page.row("Tiles per IPU", grouped(numberAt(target, "tilesPerIpu")));
    page.row("Total Tiles", grouped(numberAt(target, "numTiles")));
    page.row("Memory Per-Tile", memoryText(numberAt(target, "bytesPerTile")));
    page.row("Total Memory", memoryText(numberAt(target, "totalMemory")));
    page.row("Clock Speed (approx)", decimal(target["clockFrequency"].asDouble() / 1e6) + " MHz");
    page.row("Number of Replicas", grouped(numberAt(target, "numReplicas")));
    page.row("IPUs per Replica", grouped(numberAt(target, "ipusPerReplica")));
    page.row("Tiles per Replica", grouped(numberAt(target, "tilesPerReplica")));
    page.row("Memory per Replica",
             memoryText(numberAt(target, "tilesPerReplica") * numberAt(target, "bytesPerTile")));
  }
  page.blank();
}

void printGraphSize(Page &page, const ProfileValue &graph) {
  {
    const Page::Section section(page, "Graph:");
    page.row("Number of vertices", grouped(numberAt(graph, "numVertices")));
    page.row("Number of edges", grouped(numberAt(graph, "numEdges")));
    page.row("Number of variables", grouped(numberAt(graph, "numVars")));
    page.row("Number of compute sets", grouped(numberAt(graph, "numComputeSets")));
  }
  page.blank();
}

/// \param onlyUsed  true: omit rows without bytes
void printDataTypes(Page &page, const ProfileValue &bytes, bool onlyUsed) {
  for (const auto &[label, name] : kDataTypes) {
    const std::uint64_t here = *name == '\0' ? 0 : numberAt(bytes, name);
    if (here > 0 || !onlyUsed)
      page.row(label, bytesText(here));
  }
  page.row("Total", bytesText(sumOf(bytes)));
}

void printMemoryTotals(Page &page, const ProfileValue &memory) {
  const Page::Section total(page, "Total:");
  page.row("Including Gaps", bytesText(sumOf(memory["byTileIncludingGaps"])));
  const Page::Section excluding(page, "Excluding Gaps:");
  {
    const Page::Section regions(page, "By Memory Region:");
    page.row("Non-interleaved", bytesText(numberAt(memory["byRegion"], "nonInterleaved")));
    page.row("Interleaved", bytesText(numberAt(memory["byRegion"], "interleaved")));
    page.row("Overflowed", bytesText(numberAt(memory["byRegion"], "overflowed")));
  }
  page.row("Total", bytesText(sumOf(memory["byTile"])));
  const Page::Section types(page, "By Data Type:");
  {
    const Page::Section section(page, "Not Overlapped");
    printDataTypes(page, memory["notOverlapped"], false);
  }
  {
    const Page::Section section(page, "Overlapped");
    printDataTypes(page, memory["overlapped"], true);
  }
  page.row("Total After Overlapping", bytesText(numberAt(memory, "afterOverlapping")));
}

void printVertexData(Page &page, const ProfileValue &data) {
  const Page::Section section(page, "Vertex Data (" + grouped(numberAt(data, "total")) + "B):");
  {
    const ProfileValue &categories = data["byCategory"];
    const Page::Section section2(page, "By Category:");
    page.row("Internal vertex state", bytesText(numberAt(categories, "internalState")));
    page.row("Edge pointers", bytesText(numberAt(categories, "edgePointers")));
    page.row("Copy pointers", bytesText(numberAt(categories, "copyPointers")));
    page.row("Padding", bytesText(numberAt(categories, "padding")));
    page.row("Descriptors", bytesText(numberAt(categories, "descriptors")));
  }
  std::vector<std::pair<std::string, std::uint64_t>> types;
  for (const auto &[name, bytes] : data["byType"].asMap())
    types.emplace_back(name, bytes.asUint64());
  std::ranges::stable_sort(types, std::greater(), [](const auto &type) { return type.second; });
  const Page::Section byType(page, "By Type:");
  for (const auto &[name, bytes] : types)
    page.row(name, bytesText(bytes));
}

/// Prints how many tiles use how much memory: a row per kB, or per multiple if that gave too many
/// rows.
void printHistogram(Page &page, const ProfileValue::Vector &tiles) {
  constexpr std::uint64_t kKilo = 1024, kMostRows = 24, kStars = 40;
  const Page::Section section(page, "By Tile (Excluding Gaps):");
  std::uint64_t most = 0, least = ~std::uint64_t{0};
  for (const ProfileValue &tile : tiles) {
    most = std::max(most, tile.asUint64());
    least = std::min(least, tile.asUint64());
  }
  std::uint64_t width = kKilo;
  for (const std::uint64_t next : {2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000})
    if (most / width - least / width >= kMostRows)
      width = next * kKilo;
  std::vector<std::uint64_t> counts(most / width + 1, 0);
  for (const ProfileValue &tile : tiles)
    ++counts[tile.asUint64() / width];
  const std::uint64_t highest = std::ranges::max(counts);
  page.line("Range (KB)  Histogram (Excluding Gaps)                    Count (tiles)");
  for (std::uint64_t i = least / width; i < counts.size(); ++i) {
    const std::uint64_t stars = (counts[i] * kStars + highest - 1) / highest;
    const std::string range =
        std::to_string(i * width / kKilo) + " - " + std::to_string((i + 1) * width / kKilo);
    const std::string count = grouped(counts[i]);
    const auto spaces = [](std::size_t columns, std::size_t used) {
      return std::string(columns > used ? columns - used : 0, ' ');
    };
    page.line(spaces(10, range.size()) + range + "  " + std::string(stars, '*') +
              spaces(kStars + 6, stars) + spaces(13, count.size()) + count);
  }
}

void printMaximum(Page &page, const std::string &label, const ProfileValue::Vector &tiles) {
  const auto worst =
      std::ranges::max_element(tiles, {}, [](const ProfileValue &tile) { return tile.asUint64(); });
  const std::uint64_t bytes = worst->asUint64();
  page.line("Maximum (" + label + "): " + grouped(bytes) + " (" +
            decimal(static_cast<double>(bytes) / 1024) + " K) on tile " +
            grouped(static_cast<std::uint64_t>(worst - tiles.begin())));
}

void printTilesThatAreTooFull(Page &page, const ProfileValue &memory, std::uint64_t capacity) {
  const ProfileValue::Vector &tiles = memory["byTileIncludingGaps"].asVector();
  const auto over = std::ranges::count_if(
      tiles, [&](const ProfileValue &tile) { return tile.asUint64() > capacity; });
  page.line(grouped(static_cast<std::uint64_t>(over)) + " tile(s) out of memory");
  for (const ProfileValue &tile : memory["worstTiles"].asVector()) {
    const Page::Section section(page, "Tile " + grouped(numberAt(tile, "tile")) + ":");
    page.row("Including Gaps", bytesText(numberAt(tile, "includingGaps")));
    page.row("Excluding Gaps", bytesText(numberAt(tile, "excludingGaps")));
    for (const auto &[label, name] : kDataTypes)
      if (*name != '\0' && numberAt(tile["byCategory"], name) > 0)
        page.row(label, bytesText(numberAt(tile["byCategory"], name)));
  }
}

void printMemory(Page &page, const ProfileValue &memory, const ProfileValue &target) {
  page.line("Memory on all IPUs:");
  {
    const Page::Section section(page, "Memory Usage:");
    printMemoryTotals(page, memory);
    printVertexData(page, memory["vertexData"]);
    printHistogram(page, memory["byTile"].asVector());
    printMaximum(page, "Including Gaps", memory["byTileIncludingGaps"].asVector());
    printMaximum(page, "Excluding Gaps", memory["byTile"].asVector());
    printTilesThatAreTooFull(page, memory, numberAt(target, "bytesPerTile"));
  }
  page.blank();
}

void printMemoryOfIpus(Page &page, const ProfileValue &memory, const ProfileValue &target) {
  const std::uint64_t perIpu = numberAt(target, "tilesPerIpu");
  const auto partOf = [&](const char *key, std::uint64_t ipu) {
    const ProfileValue::Vector &tiles = memory[key].asVector();
    const auto first = tiles.begin() + static_cast<std::ptrdiff_t>(ipu * perIpu);
    return ProfileValue::Vector(first, first + static_cast<std::ptrdiff_t>(perIpu));
  };
  for (std::uint64_t ipu = 0; ipu < numberAt(target, "ipusPerReplica"); ++ipu) {
    {
      const Page::Section section(page, "Memory on IPU " + std::to_string(ipu) + ":");
      const ProfileValue::Vector without = partOf("byTile", ipu),
                                 with = partOf("byTileIncludingGaps", ipu);
      page.row("Including Gaps", bytesText(sumOf(with)));
      page.row("Excluding Gaps", bytesText(sumOf(without)));
      printHistogram(page, without);
      printMaximum(page, "Including Gaps", with);
      printMaximum(page, "Excluding Gaps", without);
    }
    page.blank();
  }
}

void printOptimizations(Page &page, const ProfileValue &saved) {
  {
    const Page::Section section(page, "Optimizations:");
    page.row("Copies elided", grouped(numberAt(saved, "copiesElided")));
    page.row("Edges in place", grouped(numberAt(saved, "edgesInPlace")));
    page.row("Edges with a buffer", grouped(numberAt(saved, "edgesBuffered")));
    page.row("Edges that share a buffer", grouped(numberAt(saved, "buffersShared")));
    page.row("Stream copies", grouped(numberAt(saved, "streamCopies")));
    page.row("Host exchanges after merging", grouped(numberAt(saved, "hostExchanges")));
  }
  page.blank();
}

} // namespace

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
  if (options.showOptimizations)
    printOptimizations(page, profile["optimizations"]);
  if (options.showVarStorage)
    printLiveness(page, profile);
  else if (options.showExecutionSteps) // programs search for the lines `OnTileExecute: NAME`
    printPrograms(page, profile);
}

} // namespace copse::profile
