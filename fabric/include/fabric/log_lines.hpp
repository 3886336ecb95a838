#pragma once

#include <spdlog/formatter.h>

#include <memory>

namespace copse::fabric {

/// Returns the format of a daemon's log: time, name of the log, level and message. Names that peers
/// have chosen may be in a message, so it is printed as wire::printableLine() has it: one line.
std::unique_ptr<spdlog::formatter> logLines();

} // namespace copse::fabric
