#include "cpu_level.hpp"

#include "popc/popc.hpp"
#include "wire/cpu_levels.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace copse::popc {

std::string cpuLevelForCodelets() {
  const std::vector<std::string> levels = wire::cpuLevelsHere();
  const char *const chosen = std::getenv("COPSE_CPU_LEVEL");
  if (levels.empty() || chosen == nullptr || *chosen == '\0')
    return levels.empty() ? "" : levels.back();
  if (std::ranges::find(levels, chosen) == levels.end())
    throw CompileError("COPSE_CPU_LEVEL: '" + std::string(chosen) +
                       "' is no level of this machine; give one from x86-64 to " + levels.back());
  return chosen;
}

std::vector<std::string> processorFlags(const std::string &level) {
  if (level.empty())
    return {};
  const std::size_t extension = level.find('+');
  std::vector<std::string> flags{"-march=" + level.substr(0, extension)};
  if (extension != std::string::npos)
    flags.push_back("-mavx512" + level.substr(extension + 1));
  return flags;
}

} // namespace copse::popc
