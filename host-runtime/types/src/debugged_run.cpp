#include "types/debugged_run.hpp"

#include <cstdlib>
#include <string_view>

namespace copse::types {
namespace {

/// Returns the settings, "directory=PATH,...".
std::string_view settings() {
  const char *const given =
      std::getenv("COPSE_DEBUG"); // NOLINT(concurrency-mt-unsafe): it is not set meanwhile
  return given == nullptr ? "" : given;
}

} // namespace

bool isDebuggedRun() { return !settings().empty(); }

std::filesystem::path debuggedSources() {
  constexpr std::string_view kKey = "directory=";
  std::string_view text = settings();
  if (!text.starts_with(kKey))
    return {};
  text.remove_prefix(kKey.size());
  return std::filesystem::path(text.substr(0, text.find(','))) / "sources";
}

} // namespace copse::types
