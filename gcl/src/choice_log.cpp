#include "choice_log.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <poputil/exceptions.hpp>
#include <string>

namespace gcl {
namespace {

enum class LogLevel { Off, Err, Warn, Info, Debug, Trace };

LogLevel logLevel() {
  const char *const text = std::getenv("GCL_LOG_LEVEL");
  if (text == nullptr || *text == '\0')
    return LogLevel::Off;
  std::string word = text;
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const std::array<const char *, 6> names{"OFF", "ERR", "WARN", "INFO", "DEBUG", "TRACE"};
  for (std::size_t level = 0; level < names.size(); ++level)
    if (word == names[level])
      return static_cast<LogLevel>(level);
  throw poputil::poplibs_error("GCL_LOG_LEVEL is '" + std::string(text) +
                               "'; set it to OFF, ERR, WARN, INFO, DEBUG or TRACE");
}

const char *nameOf(Collective collective) {
  switch (collective) {
  case Collective::AllReduce:
    return "all-reduce";
  case Collective::ReduceScatter:
    return "reduce-scatter";
  case Collective::AllGather:
    return "all-gather";
  case Collective::AllToAll:
    break;
  }
  return "all-to-all";
}

std::string describe(Collective collective, const Candidate &candidate) {
  const Choice &choice = candidate.choice;
  std::string text = nameOf(choice.method);
  if (choice.inner > 0)
    text += " over groups of " + std::to_string(choice.inner);
  if (choice.inner > 0 && collective == Collective::AllReduce)
    text += " (" + nameOf(choice.innerMethod) + " within)";
  return text + ", " + std::to_string(candidate.cost.cycles) + " cycles, " +
         std::to_string(candidate.cost.busiestLinkBytes) + " bytes on the busiest link";
}

} // namespace

void logChoice(const Task &task, const Candidate &chosen, const std::vector<Candidate> &all) {
  const LogLevel level = logLevel();
  if (level < LogLevel::Info)
    return;
  std::cerr << "[gcl] [info] " << nameOf(task.collective) << " of " << task.bytes << " bytes over "
            << task.groups.size() << " x " << task.groups.front().size()
            << " replicas: " << describe(task.collective, chosen) << '\n';
  if (level >= LogLevel::Debug)
    for (const Candidate &candidate : all)
      std::cerr << "[gcl] [debug]   " << describe(task.collective, candidate) << '\n';
}

} // namespace gcl
