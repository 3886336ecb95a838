#pragma once

#include <spdlog/formatter.h>

#include <memory>

namespace copse::fabric {

/// Returns the format of a daemon's log: time, name of the log, level and message. A message may
/// contain names that peers have chosen, so it is printed as one line, by wire::printableLine().
std::unique_ptr<spdlog::formatter> logLines();

} // namespace copse::fabric
