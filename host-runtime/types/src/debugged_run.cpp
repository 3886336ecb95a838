#include "types/debugged_run.hpp"

#include "wire/environment.hpp"

#include <string>
#include <string_view>

namespace copse::types {
namespace {

/// Returns the settings, "directory=PATH,...".
std::string settings() { return wire::environmentVariable("COPSE_DEBUG"); }

} // namespace

bool isDebuggedRun() { return !settings().empty(); }

std::filesystem::path debuggedSources() {
  constexpr std::string_view kKey = "directory=";
  const std::string text = settings();
  if (!text.starts_with(kKey))
    return {};
  const std::size_t end = text.find(',', kKey.size());
  return std::filesystem::path(text.substr(kKey.size(), end - kKey.size())) / "sources";
}

} // namespace copse::types
