#include "types/environment_warnings.hpp"

#include "log_modules.hpp"

#include "types/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <unistd.h>

namespace copse::types {
namespace {

using std::string;
using std::string_view;

/// The variables in docs/environment.md. If two are equally similar to a misspelt name, the first
/// is suggested.
constexpr std::array<string_view, 36> kKnown{"COPSE_ASSUME",
                                             "COPSE_CACHE_DIR",
                                             "COPSE_CACHE_MIB",
                                             "COPSE_CHECK",
                                             "COPSE_CHECK_PAYLOADS",
                                             "COPSE_CLOCK",
                                             "COPSE_CLOCK_SUMMARY",
                                             "COPSE_CLUSTER",
                                             "COPSE_CLUSTER_DIR",
                                             "COPSE_CLUSTER_IPUS",
                                             "COPSE_COSTS",
                                             "COPSE_CPU_LEVEL",
                                             "COPSE_CXX",
                                             "COPSE_DEBUG",
                                             "COPSE_EXECUTION",
                                             "COPSE_HOST",
                                             "COPSE_HOST_TIME",
                                             "COPSE_IPUS",
                                             "COPSE_IPUD",
                                             "COPSE_IPU_MEMORY",
                                             "COPSE_LINK_DEADLINE_MS",
                                             "COPSE_LOG_FORMAT",
                                             "COPSE_LOG_LEVEL",
                                             "COPSE_MACHINE_MODEL",
                                             "COPSE_NO_MEMORY_SHARING",
                                             "COPSE_PARTITION",
                                             "COPSE_POD",
                                             "COPSE_PROGRESS",
                                             "COPSE_PROJECT",
                                             "COPSE_RBUFD",
                                             "COPSE_RBUFD_NAME",
                                             "COPSE_ROWS_DIRECTORY",
                                             "COPSE_THREADS",
                                             "COPSE_TILE_CODE",
                                             "COPSE_TILE_TRACE",
                                             "COPSE_TRANSPORT"};

bool isNumber(string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == string_view::npos;
}

/// Variables whose invalid values would silently be taken for another value. The readers of all
/// other variables report invalid values themselves.
const struct {
  string_view name;
  bool (*isGood)(string_view value);
  string_view instead; ///< the value's effect, and the values to use
} kValues[] = {
    {"COPSE_CACHE_MIB", isNumber, "which is no number; the limit of the caches is the default"},
    {"COPSE_LOG_FORMAT", [](string_view value) { return value == "text" || value == "json"; },
     "which is neither text nor json; the log is text"},
    {"COPSE_NO_MEMORY_SHARING",
     [](string_view value) { return value != "0" && value != "false" && value != "off"; },
     "which switches memory sharing off as any value does; unset it to share memory"},
    {"COPSE_PROGRESS", [](string_view value) { return value == "0" || value == "1"; },
     "which is neither 0 nor 1; the progress line is shown on terminals"},
};

/// Warns of each POPLAR_<MODULE>_LOG_LEVEL whose module is unknown.
void warnOfLogModules(std::span<const string> environment, std::vector<string> &warnings) {
  constexpr string_view kBegin = "POPLAR_", kEnd = "_LOG_LEVEL";
  for (const string_view entry : environment) {
    const string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd) ||
        name.size() <= kBegin.size() + kEnd.size())
      continue;
    const string_view module =
        name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    if (std::ranges::find(kLogModules, module) == kLogModules.end())
      warnings.push_back("nothing reads the environment variable " + string(name) +
                         ": no module is called '" + string(module) + "'" +
                         suggestionOrList(module, kLogModules));
  }
}

} // namespace

std::vector<string> environmentWarnings(std::span<const string> environment) {
  std::map<string_view, string_view> ours;
  for (const string_view entry : environment)
    if (entry.starts_with("COPSE_") && !entry.starts_with("COPSE_TEST_"))
      ours.emplace(entry.substr(0, entry.find('=')), entry.substr(entry.find('=') + 1));
  std::vector<string> warnings;
  for (const auto &[name, value] : ours)
    if (std::ranges::find(kKnown, name) == kKnown.end())
      warnings.push_back("nothing reads the environment variable " + string(name) +
                         suggestion(name, kKnown));
  for (const auto &[name, isGood, instead] : kValues)
    if (const auto given = ours.find(name); given != ours.end() && !isGood(given->second))
      warnings.push_back(string(name) + " is '" + string(given->second) + "', " + string(instead));
  warnOfLogModules(environment, warnings);
  const bool hasPartition = std::ranges::any_of(environment, [](const string_view entry) {
    return entry.starts_with("IPUOF_VIPU_API_PARTITION_ID=") ||
           entry.starts_with("IPUOF_CONFIG_PATH=");
  });
  if (!ours.contains("COPSE_CLUSTER") && !hasPartition)
    for (const string_view name : {"COPSE_CLUSTER_IPUS", "COPSE_HOST", "COPSE_PARTITION"})
      if (ours.contains(name))
        warnings.push_back(string(name) + " has no effect without COPSE_CLUSTER");
  return warnings;
}

std::vector<string> environmentWarnings() {
  std::vector<string> environment;
  for (const char *const *entry = ::environ; entry != nullptr && *entry != nullptr; ++entry)
    environment.emplace_back(*entry);
  return environmentWarnings(environment);
}

} // namespace copse::types
