#include "tile_trace.hpp"

#include "observed_program.hpp"
#include "report.hpp"

#include "disk_cache/private_directory.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>

namespace copse::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint32_t kSupervisorContext = 6;

/// Returns the value of $COPSE_TILE_TRACE.
std::string settingsOf(const TraceRequest &request, const fs::path &folder) {
  std::string text = "directory=" + folder.string();
  const auto add = [&](const char *key, std::uint64_t value) {
    text += std::string(",") + key + "=" + std::to_string(value);
  };
  if (request.ipu)
    add("ipu", *request.ipu);
  if (request.tile)
    add("tile", *request.tile);
  if (request.worker || request.supervisor)
    add("context", request.supervisor ? kSupervisorContext : *request.worker);
  add("lists", request.statistics ? 0 : 1);
  add("most", request.most);
  return text;
}

Rows tracesIn(const fs::path &folder) {
  Rows rows;
  forEachObject(folder, ".instructions.jsonl", [&](Json row) { rows.push_back(std::move(row)); });
  return rows;
}

/// Prints the instructions that were executed most often, with their shares.
std::string mostOf(const Json &instructions, std::uint64_t all) {
  std::vector<std::pair<std::uint64_t, std::string>> counts;
  for (const auto &[mnemonic, count] : instructions.items())
    counts.emplace_back(count.get<std::uint64_t>(), mnemonic);
  std::ranges::stable_sort(counts, std::greater<>(), &std::pair<std::uint64_t, std::string>::first);
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(counts.size(), 5); ++i)
    text += (i == 0 ? "" : ", ") + counts[i].second + " " +
            std::to_string(100 * counts[i].first / all) + " %";
  return text;
}

/// Adds the numbers of \p more, which may be nested, to the numbers of \p sum.
void addTo(Json &sum, const Json &more) {
  for (const auto &[key, value] : more.items())
    if (value.is_object())
      addTo(sum[key], value);
    else if (value.is_number())
      sum[key] =
          (sum.contains(key) ? sum[key].get<std::uint64_t>() : 0) + value.get<std::uint64_t>();
    else
      sum[key] = value;
}

Rows statisticsIn(const fs::path &folder, bool json) {
  std::map<std::string, Json> classes;
  forEachObject(folder, ".statistics.jsonl",
                [&](const Json &s) { addTo(classes[s.value("vertex", "")], s); });
  Rows rows;
  for (auto &[name, s] : classes) {
    const Json instructions = s["instructions"];
    std::uint64_t all = 0;
    for (const auto &item : instructions.items())
      all += item.value().get<std::uint64_t>();
    s["instructions"] = all;
    if (json)
      s["by_instruction"] = instructions;
    else
      s["most"] = mostOf(instructions, std::max<std::uint64_t>(all, 1));
    rows.push_back(std::move(s));
  }
  return rows;
}

} // namespace

int traceProgram(const TraceRequest &request) {
  const disk_cache::PrivateDirectory folder; // where the IPUs leave their files
  ::setenv("COPSE_TILE_TRACE", settingsOf(request, folder.path()).c_str(), 1);
  const int code = runProgram(request.command);
  const Rows rows =
      request.statistics ? statisticsIn(folder.path(), request.json) : tracesIn(folder.path());
  if (rows.empty() && code == 0)
    std::cerr
        << "copse: the program executed no tile instructions there; vertices in C++ have none\n";
  writeOutput(request.output, [&](std::ostream &out) { print(out, rows, request.json); });
  return code;
}

} // namespace copse::tools
